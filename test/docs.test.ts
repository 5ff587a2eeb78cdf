/** Every page of the documentation: its code runs, its lists are complete, its figures are right. Generated pages are up to date. */

import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { shippedScenarios } from "../src/adapters/shipped-scenarios.ts";
import { findingIds } from "../src/audit/findings/finding.ts";
import { VERSION } from "../src/base/version.ts";
import { commands } from "../src/cli/commands.ts";
import { parse } from "../src/cli/options/parse.ts";
import { controlRoutes } from "../src/control/routes.ts";
import { wrongWays } from "../src/faults/wrong-body.ts";
import { createSimulator } from "../src/index.ts";
import type { Fixture } from "../src/play/fixtures/fixture.ts";
import { playScenario, scenarioJsonSchema } from "../src/scenario.ts";
import { startServer } from "../src/server.ts";
import { catalogue } from "../src/spec/assumptions/catalogue.ts";
import { defaultAssumptions } from "../src/spec/assumptions/resolve.ts";
import { openApiDocument } from "../src/spec/openapi.ts";
import { operations } from "../src/spec/operations.ts";
import { rules } from "../src/testing/contract/rules.ts";
import { driverMethods, promisesOf } from "../src/testing/driver/driver.ts";
import { createHost, runAdsimIn } from "./cli/run-adsim.ts";
import { generatedPages } from "./generated-pages.ts";
import { blocksOf, listedIn, pages, sectionOf, textOf } from "./page-blocks.ts";
import { hasCurl, hasPython } from "./programs.ts";
import { printedBy, runSnippet } from "./run-snippet.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** All blocks in a language. Those with a file are followed by `test/package`, or by `examples.test.ts`. */
const blocks = (language: string) =>
  pages.flatMap((page) =>
    blocksOf(textOf(page))
      .map((block, index) => ({ ...block, page, number: index + 1 }))
      .filter((block) => block.language === language),
  );
const withoutFile = (language: string) => blocks(language).filter(({ file }) => !file);

test.each(Object.entries(generatedPages))("docs/%s is what `npm run docs` writes", (name, text) => {
  expect(textOf(`docs/${name}`)).toBe(text);
});

test.each(withoutFile("ts"))("$page, $number: prints what its comments say", async ({ text }) => {
  const printed = printedBy(text);
  expect(printed.length).toBe(text.split("console.log(").length - 1);
  expect(await runSnippet(text)).toEqual(printed);
});

test.each(withoutFile("json"))("$page, $number: a valid rule, or it passes", async ({ text }) => {
  const value = JSON.parse(text);
  if ("steps" in value) {
    // A minute of an hour's traffic is enough to see that it can be sent.
    const short = text.replaceAll(/"for": "\d+h"/g, '"for": "1m"');
    expect(await playScenario(JSON.parse(short))).toMatchObject({ result: "passed" });
  } else if (text.includes('"verdict"')) {
    const faults = [value].flat();
    expect(createSimulator({ faults }).faults.list()).toHaveLength(faults.length);
  }
});

const shells = Map.groupBy(withoutFile("sh"), ({ page }) => page);

test.skipIf(!hasCurl).each([...shells])("%s: curl gets answers, commands exist", async (_, all) => {
  const server = await startServer({ port: 0 });
  const options = { cwd: temporaryFolder(), maxBuffer: 1e8 };
  try {
    const text = all.map((block) => block.text).join("");
    // Without those that name something of the reader's.
    const lines = text.replaceAll("\\\n", " ").split("\n");
    for (const line of lines.filter((one) => !one.includes("…"))) {
      if (line.startsWith("curl ")) {
        expect(line).toContain("http://127.0.0.1:4010/");
        const here = line.replaceAll("http://127.0.0.1:4010", server.url);
        await promisify(execFile)("sh", ["-c", `${here} -s --show-error --fail`], options);
      }
      const [, name, rest = ""] = /^npx adsim ([a-z]+)([^>&|]*)/.exec(line) ?? [];
      if (name === undefined) continue;
      const words = rest.matchAll(/'([^']*)'|\S+/g);
      const [command] = commands.filter((one) => one.name === name);
      if (command === undefined) throw new Error(`No command: ${line}`);
      parse(
        command,
        Array.from(words, ([word, quoted = word]) => quoted),
        createHost().host,
      );
    }
  } finally {
    await server.close();
  }
});

const fixture: Required<Fixture> = {
  about: "",
  spec: "§8",
  operation: "surfaces",
  outcome: "rate_limited",
  now: "",
  before: [],
  request: { method: "GET", path: "", query: "", headers: {}, body: "" },
  response: { status: 429, headers: { "retry-after": "60" }, body: "{}", json: {} },
};

/** Runs each block by itself, as pytest would: not every machine has it. */
const inTurn = `
import sys
for block in sys.argv[1:]:
    names = {}
    exec(block, names)
    for name, value in list(names.items()):
        if name.startswith("test_"):
            value()
`;

test.skipIf(!hasPython)("the Python of all pages runs, and its tests pass", async () => {
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, "fixtures"));
  const index = { files: [{ file: "one.json" }] };
  writeFileSync(join(cwd, "fixtures/index.json"), JSON.stringify(index));
  writeFileSync(join(cwd, "fixtures/one.json"), JSON.stringify(fixture));
  const found = blocks("python").map(({ text }) => text);
  expect(found.length).toBeGreaterThan(2);
  const words = ["exec", "--", "python3", "-c", inTurn, ...found];
  const { code, stderr } = await runAdsimIn(cwd, words);
  expect(code, stderr).toBe(0);
});

/** What data has under this name, at any depth. */
function within(data: unknown, name: string): unknown[] {
  if (typeof data !== "object" || data === null) return [];
  return Object.entries(data).flatMap(([key, value]) => [
    ...(key === name ? [value] : []),
    ...(key === "default" || key === "examples" ? [] : within(value, name)),
  ]);
}

const schema = JSON.parse(JSON.stringify(scenarioJsonSchema));
const { faultRule, verdict } = schema.definitions;
const document = openApiDocument(defaultAssumptions);
const server = await startServer({ port: 0 });
const metrics = await (await fetch(`${server.url}/_sim/metrics`)).text();
await server.close();

/** A pattern picks the name from what a cell has as code. */
const lists: readonly [page: string, heading: string, names: readonly unknown[], RegExp?][] = [
  ["reference/journal", "The client report", findingIds],
  ["reference/journal", "Metrics", metrics.match(/(?<=^# TYPE )adsim_\w+/gm) ?? [], /^\w+/],
  ["reference/fault-rules", "Conditions", Object.keys(faultRule.properties.match.properties)],
  ["reference/fault-rules", "Verdicts", within(verdict, "const"), /^[a-z-]+(?= |$)/],
  ["reference/fault-rules", "Wrong answers", wrongWays],
  ["any-language", "Files with requests and answers", Object.keys(fixture)],
  ["reference/contract", "The driver", [...driverMethods, ...Object.keys(promisesOf())]],
  [
    "reference/api",
    "Errors",
    // The document has no answers to requests without an operation.
    ["method_not_allowed", "route_not_found", ...within(document, "x-error-codes").flat()],
  ],
  ["reference/command-line", "Commands", commands.map(({ name }) => name), /(?<=^adsim )\w+/],
  [
    "reference/control-api",
    "Routes",
    controlRoutes.flatMap(({ method, path }) => (path === "" ? [] : `${method} ${path}`)),
    /^[A-Z]{3,6} .+/,
  ],
];

test.each(lists)("docs/%s.md, %s: lists every name, and no other", (page, heading, names, pick) => {
  const listed = listedIn(sectionOf(`docs/${page}.md`, heading));
  const picked = pick === undefined ? listed : listed.flatMap((one) => pick.exec(one) ?? []);
  expect([...new Set(picked)].sort()).toEqual([...new Set(names)].sort());
});

/** Names of members at any depth. */
const membersOf = (schemas: unknown): string[] =>
  within(schemas, "properties").flatMap((one) => Object.keys(Object(one)));

/** Other parts of a scenario, such as fault rules, stand on pages of their own. */
const parts =
  /Step$|(?:Match|Number)Rule$|Matcher$|Operand|Expectation$|^(?:Traffic|Arrivals|Mix)$/;
const scenarioParts = Object.entries(schema.definitions).filter(([name]) => parts.test(name));

test.each([
  ["scenario-format", [...Object.keys(schema.properties), ...membersOf(scenarioParts)]],
  ["api", Object.values(operations).flatMap(({ parameters }) => Object.keys(parameters))],
  ["api", membersOf(document.components.schemas)],
  ["contract", Object.values(promisesOf()).filter(Number.isFinite).map(String)],
])("docs/reference/%s.md names every member, in code", (page, names) => {
  const text = textOf(`docs/reference/${page}.md`);
  const isNamed = (name: string): boolean =>
    text.includes(`\`${name}`) || text.includes(`"${name}"`);
  expect(names.filter((name) => !isNamed(name))).toEqual([]);
});

test.each([
  [/\b(\d+) (?:questions|assumptions)\b/g, Object.keys(catalogue).length],
  [/(?:all|\[|against) ?(\d+) rules\b/g, rules.length],
  [/\[(\d+) scenarios\b/g, shippedScenarios.length],
])("every page that says %s has the right number", (what, count) => {
  const said = pages.flatMap((page) =>
    Array.from(textOf(page).matchAll(what), ([, number]) => ({ page, number: Number(number) })),
  );
  expect(said.map(({ page }) => page)).toContain("README.md");
  expect(said.filter(({ number }) => number !== count)).toEqual([]);
});

test.each(pages)("%s names this version, and says how to install it", (page) => {
  const text = textOf(page);
  const versions = Array.from(text.matchAll(/adsim-(\d+\.\d+\.\d+)\.tgz/g), ([, one]) => one);
  expect(versions.filter((one) => one !== VERSION)).toEqual([]);
  if (versions.length > 0 || text.includes("npx adsim"))
    expect(text).toMatch(/command-line\.md#installing\)|^## Installing$|npm ci && npm pack/m);
});

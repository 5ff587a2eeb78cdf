/** Every page of the documentation: its code runs, its lists are complete, its figures are right. Generated pages are up to date. */

import { execFile } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
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
import { createHost, runAdsim, runAdsimIn } from "./cli/run-adsim.ts";
import { generatedPages } from "./generated-pages.ts";
import { type Block, blocksOf, listedIn, pages, sectionOf, textOf } from "./page-blocks.ts";
import { hasCurl, hasPython } from "./programs.ts";
import { printedBy, runSnippet } from "./run-snippet.ts";
import { temporaryFolder } from "./temporary-folder.ts";

interface PageBlock extends Block {
  readonly page: string;
  readonly number: number;
}

const all: readonly PageBlock[] = pages.flatMap((page) =>
  blocksOf(textOf(page)).map((block, index) => ({ ...block, page, number: index + 1 })),
);

/** Blocks in a language, but for those with a file: `test/package/follow-*.ts` follows them with the package. */
function blocks(language: string): PageBlock[] {
  return all.filter((block) => block.language === language && block.file === undefined);
}

test.each(Object.entries(generatedPages))("docs/%s is what `npm run docs` writes", (name, text) => {
  expect(textOf(`docs/${name}`)).toBe(text);
});

test.each(blocks("ts"))("$page, block $number prints what its comments say", async ({ text }) => {
  const printed = printedBy(text);
  expect(printed.length).toBe(text.split("console.log(").length - 1);
  expect(await runSnippet(text)).toEqual(printed);
});

test.each(blocks("json"))("$page, block $number is a valid rule or passes", async ({ text }) => {
  const value = JSON.parse(text);
  if ("steps" in value) {
    // A minute of an hour's traffic is enough to see that it can be sent.
    const short = text.replaceAll(/"for": "\d+h"/g, '"for": "1m"');
    expect(await playScenario(JSON.parse(short))).toMatchObject({ result: "passed" });
  } else if (/"verdict"/.test(text)) {
    const faults = [value].flat();
    expect(createSimulator({ faults }).faults.list()).toHaveLength(faults.length);
  }
});

/** The words of a command line, without what the shell reads itself. */
function wordsOf(line: string): string[] {
  const words = line.replace(/ (?:>|&|\|) ?.*$/, "").matchAll(/'([^']*)'|"([^"]*)"|\S+/g);
  return Array.from(words, ([word, single, double]) => single ?? double ?? word);
}

/** Commands that need nothing but files. Of others, which start something or take long, only the options are checked. */
const alone = /^(assumptions|openapi|scenarios|record|replay)$/;
const isFile = /^[\w-]+\.(?:har|json|ndjson|csv|js|xml|html)$/;

const shells = Map.groupBy(blocks("sh"), ({ page }) => page);

test.skipIf(!hasCurl).each([...shells])("%s: its curl and adsim lines run", async (_, found) => {
  const server = await startServer({ port: 0 });
  const cwd = temporaryFolder();
  const here = (text: string): string => text.replaceAll("http://127.0.0.1:4010", server.url);
  try {
    // Something to record.
    await fetch(`${server.url}/v1/publisher/stats`);
    const text = found.map((block) => block.text).join("");
    for (const line of text.replaceAll("\\\n", " ").split("\n")) {
      // Without those that name something of the reader's.
      if (line.includes("…")) continue;
      if (line.startsWith("curl ")) {
        expect(line).toContain("http://127.0.0.1:4010/");
        const options = { cwd, maxBuffer: 1e8 };
        await promisify(execFile)("sh", ["-c", `${here(line)} -s --show-error --fail`], options);
      }
      const [, name = "", rest = ""] = /^npx adsim ([a-z]+)(.*)/.exec(line) ?? [];
      if (name === "") continue;
      const words = wordsOf(here(rest)).map((one) => (isFile.test(one) ? join(cwd, one) : one));
      const [command] = commands.filter((one) => one.name === name);
      if (command === undefined) throw new Error(`No command: ${line}`);
      parse(command, words, createHost().host);
      const isThere = (word: string, at: number): boolean =>
        !word.startsWith(cwd) || words[at - 1] === "--out" || existsSync(word);
      if (!alone.test(name) || !words.every(isThere)) continue;
      expect(await runAdsim([name, ...words]), line).toMatchObject({ code: 0 });
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
  const found = all.filter(({ language }) => language === "python").map(({ text }) => text);
  expect(found.length).toBeGreaterThan(1);
  const words = ["exec", "--clock", "frozen", "--", "python3", "-c", inTurn, ...found];
  const { code, stderr } = await runAdsimIn(cwd, words);
  expect(code, stderr).toBe(0);
});

interface Schema {
  readonly definitions: Readonly<Record<string, object>>;
  readonly properties: object;
}
const { definitions, properties } = scenarioJsonSchema as unknown as Schema;

/** What a JSON schema has under this name, at any depth. */
function within(schema: unknown, name: string): unknown[] {
  if (typeof schema !== "object" || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]) => [
    ...(key === name ? [value] : []),
    ...(key === "default" || key === "examples" ? [] : within(value, name)),
  ]);
}

const propertiesOf = (...schemas: readonly unknown[]): string[] => [
  ...new Set(
    schemas.flatMap((one) => within(one, "properties").flatMap((one) => Object.keys(Object(one)))),
  ),
];

const document = openApiDocument(defaultAssumptions);
const errorCodes = [
  ...within(document, "x-error-codes").flat(),
  // The document has no answers to requests without an operation.
  ...["method_not_allowed", "route_not_found"],
];
const [match] = within(definitions.faultRule, "match");
const server = await startServer({ port: 0 });
const metrics = await (await fetch(`${server.url}/_sim/metrics`)).text();
await server.close();

/** A pattern picks the name from what a cell has as code. */
const lists: readonly [page: string, heading: string, names: readonly unknown[], RegExp?][] = [
  ["reference/journal", "The client report", findingIds],
  ["reference/journal", "Metrics", metrics.match(/(?<=^# TYPE )adsim_\w+/gm) ?? [], /^\w+/],
  ["reference/fault-rules", "Conditions", Object.keys(Object(within(match, "properties")[0]))],
  ["reference/fault-rules", "Verdicts", within(definitions.verdict, "const"), /^[a-z-]+(?= |$)/],
  ["reference/fault-rules", "Wrong answers", wrongWays],
  ["any-language", "Files with requests and answers", Object.keys(fixture)],
  ["reference/contract", "The driver", [...driverMethods, ...Object.keys(promisesOf())]],
  ["reference/api", "Errors", errorCodes],
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

test("docs/reference/contract.md has the default of every promise of a driver", () => {
  const rows = sectionOf("docs/reference/contract.md", "The driver").split("\n");
  for (const [name, value] of Object.entries(promisesOf())) {
    const usual = value === Number.POSITIVE_INFINITY ? "no limit" : `\`${value}\``;
    expect(rows.find((row) => row.startsWith(`| \`${name}\` |`))).toMatch(
      new RegExp(`${usual} \\|$`),
    );
  }
});

const stepKinds = Object.keys(definitions).filter((name) => /^[A-Z].*Step$/.test(name));

test.each<[what: string, names: readonly string[]]>([
  ["field of a scenario", Object.keys(properties)],
  ["kind of step", stepKinds],
  ["rule", ["MatchRule", "NumberRule", "StatusMatcher", "Operand"]],
  ["expectation", ["AnswerExpectation", "Expectation"]],
  ["part of traffic", ["Traffic", "Arrivals", "Mix"]],
])("the pages about scenarios name every %s", (_, names) => {
  const about = pages
    .filter((page) => /scenario|load/.test(page))
    .map(textOf)
    .join("\n");
  const members = names.flatMap((name) => propertiesOf(definitions[name]));
  const wanted = members.length === 0 ? names : members;
  expect(wanted.length).toBeGreaterThan(5);
  const isNamed = (name: string): boolean =>
    new RegExp(`[\`"\\s]${name.replace("$", "\\$")}[\`"]`).test(about);
  expect(wanted.filter((name) => !isNamed(name))).toEqual([]);
});

test("docs/reference/api.md has every operation with its parameters and the members of its answer", () => {
  const rows = textOf("docs/reference/api.md").split("\n");
  for (const { method, path, parameters } of Object.values(operations)) {
    const row = rows.find((line) => line.startsWith(`| \`${method} ${path}\``)) ?? "";
    for (const [name, { required }] of Object.entries(parameters)) {
      expect(row, path).toContain(required ? ` \`${name}\`` : `*\`${name}\`*`);
    }
    const answer = document.paths[path]?.[method.toLowerCase()]?.responses["200"];
    const [name = ""] = within(answer, "$ref").map((one) => String(one).split("/").at(-1));
    const { required = [] } = document.components.schemas[name] ?? {};
    for (const member of required) expect(row, path).toContain(`\`${member}\``);
  }
});

const counts: readonly (readonly [what: RegExp, count: number])[] = [
  [/\b(\d+) (?:questions|assumptions)\b/g, Object.keys(catalogue).length],
  [/(?:all|\[|against) ?(\d+) rules\b/g, rules.length],
  [/\[(\d+) scenarios\b/g, shippedScenarios.length],
];

test.each(counts)("every page that says %s has the right number", (what, count) => {
  const said = pages.flatMap((page) =>
    Array.from(textOf(page).matchAll(what), ([, number]) => ({ page, number: Number(number) })),
  );
  expect(said.map(({ page }) => page)).toContain("README.md");
  expect(said.filter(({ number }) => number !== count)).toEqual([]);
});

test("every page with npx adsim or a tarball links to the one place on installing, and names this version", () => {
  const place = "docs/reference/command-line.md";
  for (const page of pages.filter((one) => one !== "llms.txt")) {
    const text = textOf(page);
    const versions = Array.from(text.matchAll(/adsim-(\d+\.\d+\.\d+)\.tgz/g), ([, one]) => one);
    expect(versions.filter((one) => one !== VERSION)).toEqual([]);
    if (page === place) expect(text).toMatch(/^## Installing$/m);
    else if (versions.length > 0 || text.includes("npx adsim"))
      expect(text, page).toContain("command-line.md#installing)");
  }
});

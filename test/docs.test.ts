/** The pages under `docs`: generated ones are up to date, snippets run, and what they name exists. */

import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { findingIds } from "../src/audit/findings/finding.ts";
import { commands } from "../src/cli/commands.ts";
import { controlRoutes } from "../src/control/routes.ts";
import { createSimulator } from "../src/index.ts";
import { startServer } from "../src/server.ts";
import { type Assumption, catalogue } from "../src/spec/assumptions/catalogue.ts";
import { operations } from "../src/spec/operations.ts";
import { driverMethods, promisesOf } from "../src/testing/driver/driver.ts";
import { runAdsim } from "./cli/run-adsim.ts";
import { generatedPages } from "./generated-pages.ts";
import { hasCurl } from "./programs.ts";
import { printedBy, runSnippet, snippetsIn } from "./run-snippet.ts";

const docs = join(import.meta.dirname, "../docs");
const pageOf = (name: string): Promise<string> => readFile(join(docs, `${name}.md`), "utf8");
const page = await pageOf("reference/choices");
const matrixPage = await pageOf("matrix");
const controlPage = await pageOf("reference/control-api");
const commandPage = await pageOf("reference/command-line");
const happenedPage = await pageOf("what-happened");

/** What is written as code in the first column of any table. */
function listedIn(text: string): string[] {
  return [...text.matchAll(/^\| (.+?) \| .* \|$/gm)].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name),
  );
}

test("docs/reference/choices.md has every key with all its choices, the default first", () => {
  for (const [key, point] of Object.entries<Assumption>(catalogue)) {
    const [, section = ""] = page.split(`## \`${key}\`\n`);
    const listed = [...(section.split("\n## ")[0] ?? "").matchAll(/^- `([^`]+)`/gm)];
    const names = listed.map(([, name]) => name);
    expect(names[0], key).toBe(point.default);
    expect(names.toSorted(), key).toEqual(Object.keys(point.choices).toSorted());
  }
});

test("every page that says how many assumptions there are has the right number", async () => {
  const root = join(docs, "..");
  const all = await readdir(docs, { recursive: true });
  const written = all.filter((name) => name.endsWith(".md") && !name.startsWith("decisions"));
  const paths = ["README.md", "llms.txt", ...written.map((name) => `docs/${name}`)];
  const texts = await Promise.all(paths.map((path) => readFile(join(root, path), "utf8")));
  const counts = texts.flatMap((text, index) =>
    Array.from(text.matchAll(/\b(\d+) (?:questions|assumptions)\b/g), ([, count]) => ({
      path: paths[index],
      count: Number(count),
    })),
  );
  const counting = [
    "README.md",
    "llms.txt",
    "docs/README.md",
    "docs/reference/choices.md",
    "docs/matrix.md",
  ];
  expect(counts.map(({ path }) => path)).toEqual(expect.arrayContaining(counting));
  const { length } = Object.keys(catalogue);
  expect(
    counts.filter(({ count }) => count !== length),
    `there are ${length} assumptions; correct the number on these pages`,
  ).toEqual([]);
});

test("docs/test-your-client.md has every method and every promise of a driver, with its default", async () => {
  const [, section = ""] = (await pageOf("test-your-client")).split("\n## The driver\n");
  const driver = section.split("\n## ")[0] ?? "";
  const rows = Array.from(
    driver.matchAll(/^\| `(\w+)` \|.*\| (.*) \|$/gm),
    ([, name, last = ""]) => [name, last.replaceAll("`", "")],
  );
  const promised = Object.entries(promisesOf()).map(([name, value]) => [
    name,
    Number.isFinite(value) || typeof value === "boolean" ? String(value) : "no limit",
  ]);
  expect(rows.filter(([name]) => promised.some(([other]) => other === name))).toEqual(promised);
  expect(rows.map(([name]) => name)).toEqual(expect.arrayContaining([...driverMethods]));
});

test("docs/matrix.md: its TypeScript runs", async () => {
  const [, snippet = ""] = /^```ts\n([\s\S]*?)^```$/m.exec(matrixPage) ?? [];
  expect(snippet).toContain("coveringArray(");
  // Something to see that it went through the rows.
  expect(await runSnippet(`${snippet}\nconsole.log("done");`)).toBe("done\n");
});

test("docs/matrix.md: the options and variables that it names are those of the command", async () => {
  const { stdout } = await runAdsim(["matrix", "--help"]);
  const named = [...matrixPage.matchAll(/`(--[a-z-]+)[^`]*`/g)].map(([, option = ""]) => option);
  expect(named.length).toBeGreaterThan(5);
  for (const option of named) expect(stdout).toMatch(new RegExp(`^ {2}${option} `, "m"));
  const variables = [...matrixPage.matchAll(/ADSIM_[A-Z_]+/g)].map(([variable]) => variable);
  for (const variable of new Set(variables)) expect(stdout).toContain(variable);
});

test("docs/matrix.md shows what is printed of a client that relies on 429", () => {
  const { caution, choices, default: usual }: Assumption = catalogue["limit.exceeded"];
  const others = Object.keys(choices).filter((name) => name !== usual);
  const [text] = snippetsIn(matrixPage, "text");
  expect(text).toContain(`limit.exceeded=${others.join(" or ")}\n`);
  expect(text).toContain(`${caution}\n`);
});

test("docs/reference/control-api.md has every route and no other", () => {
  const routes = listedIn(controlPage).filter((name) => /^(GET|POST|PUT|PATCH|DELETE) /.test(name));
  const listed = controlRoutes.filter(({ path }) => path !== "");
  const real = listed.map(({ method, path }) => `${method} ${path}`);
  expect(routes.sort()).toEqual(real.sort());
});

test("docs/reference/command-line.md has every command, and no other", () => {
  const listed = listedIn(commandPage).flatMap((name) => /^adsim (\w+)/.exec(name)?.[1] ?? []);
  expect(listed.sort()).toEqual(commands.map(({ name }) => name).sort());
});

test("docs/reference/api.md has every operation with its parameters and the members of its answer", async () => {
  const api = await pageOf("reference/api");
  const document = JSON.parse((await runAdsim(["openapi"])).stdout);
  for (const { method, path, parameters } of Object.values(operations)) {
    const [row = ""] = api.split("\n").filter((line) => line.startsWith(`| \`${method} ${path}\``));
    for (const [name, { required }] of Object.entries(parameters)) {
      expect(row, path).toContain(required ? ` \`${name}\`` : `*\`${name}\`*`);
    }
    const success = document.paths[path][method.toLowerCase()].responses["200"];
    const { $ref } = success.content["application/json"].schema;
    const { required } = document.components.schemas[$ref.split("/").at(-1)];
    for (const name of required) expect(row, path).toContain(`\`${name}\``);
  }
});

test("docs/reference/api.md has every error of the default choices, and shows one as it is", async () => {
  const api = await pageOf("reference/api");
  const document = (await runAdsim(["openapi"])).stdout;
  const codes = [...document.matchAll(/"x-error-codes": \[(.*?)\]/gs)].flatMap(([, list = ""]) =>
    Array.from(list.matchAll(/"(\w+)"/g), ([, code]) => code),
  );
  const [, section = ""] = api.split("## Errors");
  const listed = listedIn(section.split("\n## ")[0] ?? "").sort();
  // The document has no answers to requests without an operation.
  const all = new Set([...codes, "method_not_allowed", "route_not_found"]);
  expect(listed).toEqual([...all].sort());

  const sim = createSimulator();
  const { id, apiKey } = sim.publishers.at(0);
  const { body } = sim.handle({
    method: "GET",
    path: "/v1/publisher/stats",
    query: { publisher_id: id, from: "yesterday" },
    headers: { authorization: `Bearer ${apiKey}` },
  });
  expect(JSON.parse(snippetsIn(api, "json")[0] ?? "")).toEqual(JSON.parse(body));
});

test.each(Object.entries(generatedPages))(
  "docs/%s is what `npm run docs` writes",
  async (name, text) => {
    expect(await readFile(join(docs, name), "utf8")).toBe(text);
  },
);

describe("the TypeScript", async () => {
  const names = ["reference/simulator", "reference/server", "reference/client"];
  const snippets = await Promise.all(
    names.map(async (name) =>
      snippetsIn(await pageOf(name), "ts").map((text, index) => [name, index + 1, text] as const),
    ),
  );
  test.each(snippets.flat())(
    "in docs/%s.md, snippet %i, prints what its comments say",
    async (_, __, text) => {
      expect(printedBy(text).length).toBe(text.split("console.log(").length - 1);
      expect((await runSnippet(text)).trimEnd().split("\n")).toEqual(printedBy(text));
    },
  );
});

describe.skipIf(!hasCurl)("every curl command", async () => {
  const names = ["reference/api", "reference/server", "reference/control-api", "reference/openapi"];
  test.each(names)("in docs/%s.md gets JSON from a server", async (name) => {
    const server = await startServer({ port: 0 });
    try {
      const lines = snippetsIn(await pageOf(name), "sh").flatMap((text) => text.trim().split("\n"));
      const curls = lines.filter((line) => line.startsWith("curl "));
      expect(curls.length).toBeGreaterThan(0);
      for (const line of curls) {
        expect(line).toContain("http://127.0.0.1:4010/");
        const here = line.replaceAll("http://127.0.0.1:4010", server.url);
        const shown = `${here} --silent --show-error --fail`;
        const { stdout } = await promisify(execFile)("sh", ["-c", shown], { maxBuffer: 1e8 });
        expect(() => JSON.parse(stdout), line).not.toThrow();
      }
    } finally {
      await server.close();
    }
  });
});

test.each(snippetsIn(happenedPage, "ts").map((text, index) => [index + 1, text] as const))(
  "docs/what-happened.md: TypeScript %i runs and prints what it says",
  async (_, text) => {
    expect(printedBy(text).length).toBeGreaterThan(0);
    expect((await runSnippet(text)).trimEnd().split("\n")).toEqual(printedBy(text));
  },
);

test.skipIf(!hasCurl)("docs/what-happened.md: the shell commands run", async () => {
  const server = await startServer({ port: 0 });
  const folder = await mkdtemp(join(tmpdir(), "adsim-docs-"));
  try {
    const lines = snippetsIn(happenedPage, "sh").flatMap((text) => text.trim().split("\n"));
    expect(lines.length).toBeGreaterThan(5);
    // Something to record.
    await fetch(`${server.url}/v1/publisher/stats`);
    // Without those that name something of the reader's.
    for (const line of lines.filter((one) => !one.includes("…"))) {
      const here = line.replaceAll("http://127.0.0.1:4010", server.url);
      if (here.startsWith("npx adsim ")) {
        const words = here.replaceAll("journal.ndjson", join(folder, "journal.ndjson")).split(" ");
        expect((await runAdsim(words.slice(2))).code).toBe(0);
        continue;
      }
      const shown = here.startsWith("curl ") ? `${here} --show-error --fail` : here;
      await promisify(execFile)("sh", ["-c", shown], { cwd: folder });
    }
  } finally {
    await rm(folder, { recursive: true });
    await server.close();
  }
});

test("docs/what-happened.md has every finding of the client report, and no other", () => {
  const [, section = ""] = happenedPage.split("## The client report");
  const listed = listedIn(section.split("\n## ")[0] ?? "");
  expect(listed.sort()).toEqual([...findingIds].sort());
});

test("docs/what-happened.md has every metric of adsim, and no other", async () => {
  const [, section = ""] = happenedPage.split("## Metrics");
  const listed = listedIn(section).map((name) => name.replace(/\{.*/, ""));
  const server = await startServer({ port: 0 });
  const text = await (await fetch(`${server.url}/_sim/metrics`)).text();
  await server.close();
  const real = Array.from(text.matchAll(/^# TYPE (adsim_\w+)/gm), ([, name]) => name);
  expect(listed.sort()).toEqual(real.sort());
});

test("every page with npx adsim or a tarball links to the one place on installing, and names this version", async () => {
  const { version } = JSON.parse(await readFile(join(docs, "../package.json"), "utf8"));
  const all = await readdir(docs, { recursive: true });
  const pages = all.filter((name) => name.endsWith(".md") && !name.startsWith("decisions"));
  const found: string[] = [];
  for (const name of ["../README.md", ...pages]) {
    const text = await readFile(join(docs, name), "utf8");
    for (const [, number] of text.matchAll(/adsim-(\d+\.\d+\.\d+)\.tgz/g)) {
      expect(number, name).toBe(version);
    }
    if (!/npx adsim|adsim-[\d.]+\.tgz|on npm yet/.test(text)) continue;
    found.push(name);
    expect(text, name).toMatch(
      name === "reference/command-line.md" ? /^## Installing$/m : /command-line\.md#installing\)/,
    );
  }
  expect(found.length).toBeGreaterThan(3);
});

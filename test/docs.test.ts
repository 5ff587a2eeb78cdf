/** The pages under `docs`: what a program wrote is what it writes, what can run runs, what is named is there. */

import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { catalogue, type OpenPoint } from "../src/assumptions/catalogue.ts";
import { coveringArray } from "../src/index.ts";
import { runAdsim } from "./cli/run-adsim.ts";
import { runSnippet } from "./run-snippet.ts";

const page = await readFile(new URL("../docs/assumptions.md", import.meta.url), "utf8");
const matrixPage = await readFile(new URL("../docs/matrix.md", import.meta.url), "utf8");

test("docs/assumptions.md is the catalogue's page; if not: npm run docs", async () => {
  expect((await runAdsim(["assumptions", "--markdown"])).stdout).toBe(page);
});

test("it has every key with all its choices, the default first", () => {
  for (const [key, point] of Object.entries<OpenPoint>(catalogue)) {
    const [, section = ""] = page.split(`## \`${key}\`\n`);
    const listed = [...(section.split("\n## ")[0] ?? "").matchAll(/^- `([^`]+)`/gm)];
    const names = listed.map(([, name]) => name);
    expect(names[0], key).toBe(point.default);
    expect(names.toSorted(), key).toEqual(Object.keys(point.choices).toSorted());
  }
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

test("docs/matrix.md: so many rows as it says", () => {
  expect(matrixPage).toContain(`${coveringArray({ strength: 2 }).length} rows`);
  expect(matrixPage).toContain(`${coveringArray({ strength: 3 }).length} rows`);
});

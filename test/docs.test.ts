/** Pages under `docs` that are written by a program are what that program writes. */

import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { catalogue, type OpenPoint } from "../src/assumptions/catalogue.ts";
import { runAdsim } from "./cli/run-adsim.ts";

const page = await readFile(new URL("../docs/assumptions.md", import.meta.url), "utf8");

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

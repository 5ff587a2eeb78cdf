/** docs/reference/fault-rules.md lists every condition, verdict and field of a request. */

import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { wrongWays } from "../src/faults/wrong-body.ts";
import type { FaultMatch, FaultRequest, Verdict } from "../src/index.ts";

const page = await readFile(new URL("../docs/reference/fault-rules.md", import.meta.url), "utf8");

/** The first column of the table under a heading, without what follows a name. */
function namesUnder(heading: string): string[] {
  const [, section = ""] = page.split(`\n## ${heading}\n`);
  const rows = (section.split("\n## ")[0] ?? "").matchAll(/^\| `([\w-]+)`/gm);
  return Array.from(rows, ([, name = ""]) => name);
}

test("every condition and every verdict has a row, and every field that a function sees is listed", () => {
  // A missing name, or one too many, is a type error.
  const conditions = {
    operation: 1,
    publisher: 1,
    surface: 1,
    from: 1,
    until: 1,
    repeat: 1,
    nth: 1,
    every: 1,
    share: 1,
    times: 1,
    per: 1,
  } satisfies Record<keyof FaultMatch, 1>;
  const kinds = {
    delay: 1,
    respond: 1,
    drop: 1,
    "lose-response": 1,
    timeout: 1,
    reset: 1,
    empty: 1,
    truncate: 1,
    garbage: 1,
    "wrong-body": 1,
    drip: 1,
    duplicate: 1,
    reorder: 1,
  } satisfies Record<Verdict["kind"], 1>;
  const seen = {
    number: 1,
    nowMs: 1,
    method: 1,
    path: 1,
    query: 1,
    headers: 1,
    body: 1,
    operation: 1,
    publisher: 1,
    surface: 1,
  } satisfies Record<keyof FaultRequest, 1>;
  expect(namesUnder("Wrong answers")).toEqual(wrongWays);
  expect(namesUnder("Conditions")).toEqual(Object.keys(conditions));
  expect([...new Set(namesUnder("Verdicts"))]).toEqual(Object.keys(kinds));
  const [, listed = ""] = /It sees (.*?)\. It can't/s.exec(page) ?? [];
  expect(Array.from(listed.matchAll(/`(\w+)`/g), ([, name]) => name)).toEqual(Object.keys(seen));
});

/**
 * The contract catches the planted clients, as any user would run it, except for those that `missed.ts` lists. `npm test` tries a
 * part of them. The page for users says how many are caught: of those that the rules may be tuned on, and of the others.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isThorough, someOf } from "../../budget.ts";
import { breachOf, corpora, halves, nameOf, type PlantedClient } from "./corpora.ts";
import { late, missed } from "./missed.ts";

/** A client that isn't caught is tried in all sessions. Given up halfway it would disturb the next test: the globals are replaced. */
const TIME_OUT_MS = 600_000;
const isMissed = (one: PlantedClient): boolean => missed.has(nameOf(one));

const caught = corpora.filter((one) => !isMissed(one));

test.each(isThorough ? caught : someOf(caught.filter((one) => !late.has(nameOf(one)))))(
  "caught: $corpus: $says",
  async (planted) => expect(await breachOf(planted)).toBeDefined(),
  TIME_OUT_MS,
);

if (isThorough)
  test.each(corpora.filter(isMissed))(
    "missed: $corpus: $says",
    async (planted) => expect(await breachOf(planted)).toBeUndefined(),
    TIME_OUT_MS,
  );

test("no two planted clients have the same name, and those that are missed or caught late are among them", () => {
  const names = new Set(corpora.map(nameOf));
  expect(names.size).toBe(corpora.length);
  expect([...missed, ...late].filter((name) => !names.has(name))).toEqual([]);
});

test("docs/reference/contract.md says how many are caught", () => {
  const page = join(import.meta.dirname, "../../../docs/reference/contract.md");
  const figures = readFileSync(page, "utf8").matchAll(/^\| (tuned|other) \| (\d+) \| (\d+) \|$/gm);
  const rows = halves.map((half) => {
    const those = corpora.filter((one) => one.half === half);
    return `| ${half} | ${those.length} | ${those.filter((one) => !isMissed(one)).length} |`;
  });
  expect(Array.from(figures, ([row]) => row)).toEqual(rows);
});

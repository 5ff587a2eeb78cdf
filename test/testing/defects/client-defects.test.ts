/**
 * Defects built around the reference client: the contract, as any user would run it, catches each of them with a rule that is
 * about it, and what its sequences shrink to is short enough to read.
 */

import { expect, test } from "vitest";
import { rules } from "../../../src/testing/contract/rules.ts";
import { tryRule } from "../../../src/testing/contract/try-rule.ts";
import { isThorough } from "../../budget.ts";
import { createChangedDriver } from "../../client/reference-driver.ts";
import { shrinkOnlyIfWhole } from "../contract/shrinking.ts";
import { clientDefects } from "./client-defects.ts";

shrinkOnlyIfWhole();

const lengths: number[] = [];

/** Another test tries the unchanged client with the same sequences. */
test.each(clientDefects)("caught: $says ($breaks)", async ({ breaks, says: _, ...changes }) => {
  const rule = rules.find(({ id }) => id === breaks);
  if (rule === undefined) throw new Error(`There is no rule ${breaks}.`);
  const tried = await tryRule(rule, createChangedDriver(changes), { runs: 50 });
  expect(tried).toMatchObject({ kind: "broken" });
  if (tried.kind === "broken") lengths.push(tried.commands.length);
});

if (isThorough)
  test("sequences of 9 in 10 shrink to at most 8 commands", () => {
    const short = lengths.filter((length) => length <= 8);
    expect(short.length).toBeGreaterThanOrEqual(clientDefects.length * 0.9);
  });

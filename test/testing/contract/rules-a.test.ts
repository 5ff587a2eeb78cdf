/** The rules about requests, answers and reporting: a plain client keeps them, and one with a defect breaks them. */

import { describe, expect, test } from "vitest";
import { type Assumptions, coveringArray } from "../../../src/index.ts";
import { answerRules } from "../../../src/testing/contract/rules/answer-rules.ts";
import { countingRules } from "../../../src/testing/contract/rules/counting-rules.ts";
import { reportingRules } from "../../../src/testing/contract/rules/reporting-rules.ts";
import { requestRules } from "../../../src/testing/contract/rules/request-rules.ts";
import type { Rule } from "../../../src/testing/contract/rules/rule.ts";
import { statsRules } from "../../../src/testing/contract/rules/stats-rules.ts";
import { tryRule } from "../../../src/testing.ts";
import { runsOf, someOf } from "../../budget.ts";
import { plainClient } from "./plain-client.ts";
import { broken, type Defect, spelt } from "./plain-defects.ts";

const all: readonly Rule[] = [
  ...requestRules,
  ...countingRules,
  ...answerRules,
  ...statsRules,
  ...reportingRules,
];
const rows = coveringArray({ strength: 2 });
const SOME_ROWS = 8;
/** A person reads no more at a glance. */
const MAX_COMMANDS = 5;

function ruleOf(id: string): Rule {
  const found = all.find((one) => one.id === id);
  if (found === undefined) throw new Error(`There is no rule ${id}.`);
  return found;
}

/** The outcome of each rule that didn't hold. */
async function notHeld(assumptions: Partial<Assumptions>, runs: number): Promise<string[]> {
  const problems: string[] = [];
  for (const rule of all) {
    const tried = await tryRule(rule, plainClient(), { assumptions, runs });
    if (tried.kind !== "held")
      problems.push(`${rule.id}: ${tried.kind === "broken" ? tried.broken.message : tried.kind}`);
  }
  return problems;
}

describe("a plain client", () => {
  test("keeps every rule under the defaults", async () => {
    expect(await notHeld({}, runsOf(10, 5))).toEqual([]);
  });

  test("keeps every rule under other assumptions", async () => {
    const some = rows.filter((_, at) => at % Math.ceil(rows.length / SOME_ROWS) === 0);
    for (const assumptions of someOf(some)) expect(await notHeld(assumptions, 4)).toEqual([]);
  });
});

describe("a client has a choice", () => {
  test.each([
    ["utc", "sends days of UTC"],
    ["ist", "sends days of India"],
  ] as const)("it may send the default period in days of %s, or none", async (zone, defect) => {
    const assumptions = { "date.timezone": zone };
    const rule = ruleOf("stats-default-period");
    expect(await tryRule(rule, plainClient(defect), { assumptions })).toMatchObject({
      kind: "held",
    });
  });

  test("it may find out which encoding the service reads", async () => {
    for (const id of ["parameters", "opaque-ids", "impression-counts-once"]) {
      const tried = await tryRule(ruleOf(id), plainClient("begins with XML"));
      expect(tried).toMatchObject({ kind: "held" });
    }
  });
});

const allBroken: readonly (readonly [string, Defect, Partial<Assumptions>?])[] = broken;
const allSpelt: readonly (readonly [Defect, Partial<Assumptions>?])[] = spelt;

describe("a client with a defect", () => {
  for (const [defect, assumptions = {}] of allSpelt) {
    test(`is caught by an unusual name: ${defect} ${JSON.stringify(assumptions)}`, async () => {
      for (const id of ["parameters", "impression-counts-once"]) {
        const tried = await tryRule(ruleOf(id), plainClient(defect), { assumptions });
        if (tried.kind !== "broken") throw new Error(`${id} was ${tried.kind}.`);
        expect(JSON.stringify(tried.commands)).toContain(`"spelling":"unusual"`);
      }
    });
  }

  for (const [id, defect, assumptions = {}] of allBroken) {
    test(`breaks ${id} when it ${defect}`, async () => {
      const tried = await tryRule(ruleOf(id), plainClient(defect), { assumptions });
      if (tried.kind !== "broken") throw new Error(`It was ${tried.kind}.`);
      expect(tried.commands.length).toBeLessThanOrEqual(MAX_COMMANDS);
      expect(tried.broken.message).not.toMatch(/key_\w{8}|@invalid/);
    });
  }

  test("exists for every rule; if not, add a defect to plain-defects.ts", () => {
    expect(
      all.map(({ id }) => id).filter((id) => allBroken.every(([rule]) => rule !== id)),
    ).toEqual([]);
  });
});

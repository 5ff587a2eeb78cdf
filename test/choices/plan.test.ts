/** Which rows a matrix runs. */

import { expect, test } from "vitest";
import { coveringArray } from "../../src/choices/covering-array.ts";
import { type MatrixPlan, makePlan, type PlanOptions } from "../../src/choices/matrix-plan.ts";
import type { AssumptionKey, Assumptions } from "../../src/index.ts";

const only: readonly AssumptionKey[] = ["errors.invalid", "limit.exceeded", "dedup.repeat"];
const array = coveringArray({ strength: 2 });

function planOf(options: Partial<PlanOptions>): MatrixPlan {
  return makePlan({ pinned: {}, only, strength: 2, ...options });
}

/** All pairs of choices of two of the keys that occur together. */
function pairsIn(rows: readonly Assumptions[], keys: readonly AssumptionKey[]): Set<string> {
  const pairs = rows.flatMap((row) =>
    keys.flatMap((one, at) =>
      keys.slice(at + 1).map((two) => `${one}=${row[one]} ${two}=${row[two]}`),
    ),
  );
  return new Set(pairs);
}

function assumptionsOf({ defaults, rows, assumptionsWith }: MatrixPlan): Assumptions[] {
  return [defaults, ...rows.map(assumptionsWith)];
}

test("keys named by `only` are the only ones varied, in far fewer rows that cover the same pairs", () => {
  const plan = planOf({});
  expect(plan.varied).toEqual(only);
  expect(pairsIn(assumptionsOf(plan), only)).toEqual(pairsIn(array, only));
  expect(plan.rows.length).toBeLessThan(array.length / 2);
  for (const row of plan.rows.flat()) expect(only).toContain(row.split("=")[0]);
});

test("keys that are pinned keep their choice in every row and in the defaults", () => {
  const plan = planOf({ only: undefined, pinned: { "limit.exceeded": "503" } });
  expect(plan.varied).not.toContain("limit.exceeded");
  for (const row of assumptionsOf(plan)) expect(row["limit.exceeded"]).toBe("503");
  expect(pairsIn(assumptionsOf(plan), plan.varied)).toEqual(pairsIn(array, plan.varied));
  expect(plan.pins).toEqual(["limit.exceeded=503"]);
  expect(planOf({ only: [] }).rows).toEqual([]);
});

test("what was run before is run first, and what it covers isn't run again", () => {
  const whole = planOf({});
  const [first = []] = whole.rows;
  expect(whole.varying(only, [first]).rows).toEqual(whole.rows);
  expect(whole.varying(["dedup.repeat"], whole.rows).rows).toEqual(whole.rows);
});

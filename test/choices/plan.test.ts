/** Which rows a matrix runs. */

import { describe, expect, test } from "vitest";
import { type MatrixPlan, makePlan, type PlanOptions } from "../../src/choices/matrix-plan.ts";
import {
  type Assumption,
  type AssumptionKey,
  type Assumptions,
  catalogue,
} from "../../src/spec/assumptions/catalogue.ts";
import { defaultAssumptions, resolveAssumptions } from "../../src/spec/assumptions/resolve.ts";

const keys = [
  "errors.invalid",
  "limit.exceeded",
  "dedup.repeat",
  "click.repeat",
] as const satisfies readonly AssumptionKey[];

/** Every combination of all choices of the keys: a covering array of any strength over them. */
const everything: readonly Assumptions[] = keys
  .reduce<readonly Readonly<Record<string, string>>[]>(
    (rows, key) =>
      rows.flatMap((row) =>
        Object.keys(catalogue[key].choices).map((choice) => ({ ...row, [key]: choice })),
      ),
    [{}],
  )
  .map((row) => resolveAssumptions(row));

function planOf(options: Partial<PlanOptions>): MatrixPlan {
  return makePlan({ pinned: {}, only: keys, strength: 2, array: everything, ...options });
}

/** All pairs of choices of two of the keys that occur together. */
function pairsIn(rows: readonly Assumptions[], varied: readonly AssumptionKey[]): Set<string> {
  return new Set(
    rows.flatMap((row) =>
      varied.flatMap((one, at) =>
        varied.slice(at + 1).map((two) => `${one}=${row[one]} ${two}=${row[two]}`),
      ),
    ),
  );
}

function assumptionsOf({ defaults, rows, assumptionsWith }: MatrixPlan): Assumptions[] {
  return [defaults, ...rows.map((row) => assumptionsWith(row))];
}

describe("keys", () => {
  test("named by `only` are the only ones varied, in far fewer rows that cover the same pairs", () => {
    const plan = planOf({});
    expect(plan.varied).toEqual(keys);
    expect(pairsIn(assumptionsOf(plan), keys)).toEqual(pairsIn(everything, keys));
    expect(plan.rows.length).toBeLessThan(everything.length / 2);
    for (const row of assumptionsOf(plan)) {
      expect({ ...row, ...pick(defaultAssumptions) }).toEqual(defaultAssumptions);
    }
  });

  function pick(assumptions: Assumptions): Partial<Assumptions> {
    return Object.fromEntries(keys.map((key) => [key, assumptions[key]]));
  }

  test("fewer than the strength are varied in all their combinations", () => {
    const only = ["errors.invalid", "limit.exceeded"] as const;
    expect(planOf({ only, strength: 3 }).rows).toHaveLength(2 * 3 - 1);
  });

  test("that are pinned keep their choice in every row and in the defaults", () => {
    const plan = planOf({ only: undefined, pinned: { "limit.exceeded": "503" } });
    expect(plan.varied).not.toContain("limit.exceeded");
    for (const row of assumptionsOf(plan)) expect(row["limit.exceeded"]).toBe("503");
    const rest = keys.filter((key) => key !== "limit.exceeded");
    expect(pairsIn(assumptionsOf(plan), rest)).toEqual(pairsIn(everything, rest));
    expect(plan.pins).toEqual(["limit.exceeded=503"]);
  });
});

test("a row lists what differs from the defaults; repeated rows and the defaults are left out", () => {
  const array = [{}, {}, { "dedup.repeat": "count" }, { "dedup.repeat": "count" }].map((row) =>
    resolveAssumptions(row),
  );
  expect(planOf({ only: undefined, array }).rows).toEqual([["dedup.repeat=count"]]);
});

test("a plan with every key pinned has no rows", () => {
  const pinned = Object.fromEntries(
    Object.entries<Assumption>(catalogue).map(([key, point]) => [key, point.default]),
  );
  expect(planOf({ only: undefined, pinned }).rows).toEqual([]);
});

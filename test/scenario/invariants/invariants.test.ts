/** The invariants hold wherever the service is right: under all readings in pairs, with fault rules and without. */

import { describe, expect, test } from "vitest";
import type { FaultRule } from "../../../src/faults/rule.ts";
import { coveringArray } from "../../../src/index.ts";
import { invariants } from "../../../src/scenario/invariants/invariants.ts";
import { playSession } from "./session.ts";
import { stageOf } from "./stage.ts";

const rows = coveringArray({ strength: 2 }).map((row, index) => ({ row, index }));

const rules: readonly FaultRule[] = [
  { id: "busy", match: { every: 11 }, verdict: { kind: "respond", status: 500, body: "busy" } },
  {
    id: "wrong",
    match: { every: 13 },
    verdict: { kind: "respond", status: 200, body: { ok: 1e-9 } },
  },
  { id: "twice", match: { every: 7 }, verdict: { kind: "duplicate", answer: "second" } },
  { id: "gone", match: { every: 9 }, verdict: { kind: "lose-response" } },
  { id: "cut", match: { every: 17 }, verdict: { kind: "truncate", share: 0.5 } },
  { id: "never", match: { every: 19 }, verdict: { kind: "drop" } },
  { id: "noise", match: { every: 23 }, verdict: { kind: "garbage" } },
];

function broken(results: ReturnType<ReturnType<typeof stageOf>["check"]>): string[] {
  return results
    .filter(({ verdict }) => verdict === "broken")
    .map(({ id, why }) => `${id}: ${why}`);
}

describe("under every row of the covering array of pairs", () => {
  test.each(rows)("$index: no law is broken", ({ row, index }) => {
    const stage = stageOf({ assumptions: row });
    playSession(stage, index);
    expect(broken(stage.check())).toEqual([]);
  });

  test.each(rows)("$index: none is with fault rules in the way", ({ row, index }) => {
    const stage = stageOf({ assumptions: row, faults: rules });
    playSession(stage, index, 120);
    expect(broken(stage.check())).toEqual([]);
  });
});

test("there is one for every id of the list, in its order", () => {
  const families = { M: 6, S: 8, D: 5, L: 8, A: 5, R: 8, H: 4 };
  const ids = Object.entries(families).flatMap(([family, count]) =>
    Array.from({ length: count }, (_, index) => `${family}${index + 1}`),
  );
  expect(invariants.map(({ id }) => id)).toEqual(ids);
});

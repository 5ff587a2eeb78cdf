/** Random faults and limits: a well-behaved client has no findings, and each misbehaviour always has its finding. */

import fc from "fast-check";
import { expect, test } from "vitest";
import type { FaultRule } from "../../src/faults/rule.ts";
import type { ClientReport, FindingId, SimulatorOptions } from "../../src/index.ts";
import { arbitraryFaultPlan } from "../../src/testing/arbitraries/plans.ts";
import { checkProperty } from "../properties/check-property.ts";
import { type Habits, type Misbehaviour, playClient } from "./client-model.ts";
import { randomOf, reportWorldOf } from "./report-world.ts";

interface Life {
  readonly seed: number;
  readonly options: SimulatorOptions;
  readonly habits: Habits;
  readonly isKeyReplaced: boolean;
}

/** The report on all that a client did. */
function reportOn(
  { seed, options, habits, isKeyReplaced }: Life,
  misbehaviour?: Misbehaviour,
): ClientReport {
  const stage = reportWorldOf(options);
  if (isKeyReplaced) stage.sim.publishers.rotateKey(stage.publisher.id);
  playClient({ ...habits, stage, random: randomOf(`${seed}`), misbehaviour });
  return stage.sim.report();
}

const kinds = ["delay", "respond", "drop", "lose-response", "timeout", "reset", "empty"] as const;
const others = ["truncate", "garbage", "drip", "duplicate", "reorder"] as const;
const life: fc.Arbitrary<Life> = fc.record({
  seed: fc.nat(),
  options: fc.record({
    faults: arbitraryFaultPlan({
      ...{ kinds: [...kinds, ...others], mostTimes: 200, longestDelayMs: 3000 },
      operations: ["impression", "click", "stats"],
    }).map((rules) => rules.filter(({ verdict }) => !seemsToRefuseKey(verdict))),
    assumptions: fc.record({
      "limit.exceeded": fc.constantFrom("429", "403", "503"),
      "limit.retry-after": fc.constantFrom("seconds", "http-date", "absent"),
      "auth.failure": fc.constantFrom("401", "403"),
      "dedup.repeat": fc.constantFrom("original-uncredited", "conflict"),
    }),
  }),
  habits: fc.record({
    baseMs: fc.constantFrom(50, 100, 250, 500, 1000),
    capMs: fc.constantFrom(5000, 20_000),
    jitter: fc.constantFrom(0, 0.5, 1),
    mostAttempts: fc.integer({ min: 3, max: 9 }),
    users: fc.integer({ min: 1, max: 10 }),
    polls: fc.integer({ min: 0, max: 3 }),
    widgets: fc.integer({ min: 1, max: 20 }),
  }),
  isKeyReplaced: fc.constantFrom(false, false, false, true),
});

/** A client can't tell such an answer from the refusal of its key, and stops. */
function seemsToRefuseKey(verdict: FaultRule["verdict"]): boolean {
  return typeof verdict === "object" && verdict.kind === "respond" && verdict.status === 403;
}

const wellBehaved = "a client that behaves well is never accused";

test(wellBehaved, () => {
  const met = new Set<string>();
  checkProperty(
    { test: wellBehaved, file: "test/audit/report-campaign.test.ts", runs: 500, leastRuns: 180 },
    fc.property(life, (one) => {
      const { findings, operations, faults } = reportOn(one);
      for (const statuses of Object.values(operations))
        for (const status of Object.keys(statuses)) met.add(status).add(`${status[0]}xx`);
      if (Object.keys(faults).length > 1) met.add("two rules");
      const accused = findings.map(({ id, example }) => `${id}: ${example}`);
      expect(accused.join("\n")).toBe("");
    }),
  );
  // The campaign must have reached the interesting cases.
  expect([...met]).toEqual(
    expect.arrayContaining(["0", "200", "401", "403", "429", "5xx", "two rules"]),
  );
});

const habits: Habits = {
  baseMs: 200,
  capMs: 5000,
  jitter: 1,
  mostAttempts: 6,
  users: 12,
  polls: 3,
  widgets: 2,
};
const outage: FaultRule = {
  match: { until: "2026-01-15T00:01:00Z" },
  verdict: { kind: "respond", status: 503 },
};
const losses: FaultRule = { match: { share: 0.5 }, verdict: { kind: "lose-response" } };
const waits: FaultRule = {
  match: { share: 0.3 },
  verdict: { kind: "respond", status: 503, headers: { "retry-after": "20" } },
};

const vices: readonly [
  misbehaviour: Misbehaviour,
  finding: FindingId,
  faults: readonly FaultRule[],
][] = [
  ["ignores Retry-After", "before-retry-after", [waits]],
  ["retries at once", "hot-loop", [outage]],
  ["retries at fixed intervals", "pauses-do-not-grow", [outage]],
  ["goes on after 401", "continues-after-401", []],
  ["new session for each attempt", "event-in-two-sessions", [losses]],
  ["never retries", "failed-and-never-sent-again", [losses]],
];

test.each(vices)(
  "a client that %s has the finding %s and no other",
  (misbehaviour, finding, faults) => {
    for (let seed = 1; seed <= 10; seed += 1) {
      const isKeyReplaced = misbehaviour === "goes on after 401";
      const { findings } = reportOn(
        { seed, options: { faults }, habits, isKeyReplaced },
        misbehaviour,
      );
      expect(findings.map(({ id }) => id)).toEqual([finding]);
    }
  },
);

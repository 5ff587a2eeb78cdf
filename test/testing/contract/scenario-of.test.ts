/** A session as a scenario: played, it is the same life. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { parseScenario } from "../../../src/play/language/parse/parse-scenario.ts";
import { playScenarioSync, simulatorFor } from "../../../src/play/player/in-process.ts";
import { arbitraryAssumptions } from "../../../src/testing/arbitraries/assumptions.ts";
import { scenarioOf } from "../../../src/testing/contract/scenario-of.ts";
import type { Command } from "../../../src/testing/session/command.ts";
import { live } from "../../../src/testing/session/live.ts";
import { createExampleClient } from "./example-client.ts";

const place = fc.nat({ max: 3 });
const client = fc.oneof(
  fc.record(
    {
      kind: fc.constant("impression" as const),
      surface: place,
      spelling: fc.constantFrom("plain" as const, "unusual" as const),
    },
    { requiredKeys: ["kind", "surface"] },
  ),
  fc.record({ kind: fc.constant("again" as const), impression: place }),
  fc.record({ kind: fc.constant("click" as const), impression: place }),
  fc.constantFrom<Command>(
    { kind: "stats" },
    { kind: "stats", surface: 1, from: "2026-01-01", to: "2026-01-14" },
    { kind: "surfaces" },
    { kind: "payouts", limit: 3 },
  ),
);
const verdict = fc.constantFrom(
  { kind: "lose-response" },
  { kind: "lose-response", as: "silence" },
  { kind: "drop", as: "reset" },
  { kind: "timeout" },
  { kind: "empty" },
  { kind: "truncate", share: 0.5 },
  { kind: "garbage" },
  { kind: "garbage", as: "response" },
  { kind: "delay", delay: { from: 1000, to: 9000 } },
  { kind: "drip", bytesPerSecond: 20 },
  { kind: "duplicate" },
  { kind: "duplicate", answer: "second", delay: 6000 },
  { kind: "reorder", atMost: "2s" },
  { kind: "respond", status: 503, headers: { "retry-after": "2" }, body: { down: true } },
  { kind: "respond", status: 500, applied: true, delay: 8000 },
);
const world = fc.oneof(
  fc.record({ kind: fc.constant("advance" as const), byMs: fc.constantFrom(1, 1500, 60_000) }),
  fc.record({
    kind: fc.constant("fault" as const),
    rule: fc.record({ match: fc.constantFrom({}, { share: 0.5 }, { nth: 2 }), verdict }),
  }),
  fc.constant({ kind: "heal" as const }),
  // The recording limit is spent in part only: all of it is thousands of requests.
  fc.constantFrom(
    { kind: "spend" as const, left: 1, of: "reporting" },
    { kind: "spend" as const, left: 9990, of: "recording" },
  ),
);
const together = fc.record({
  kind: fc.constant("together" as const),
  commands: fc.array(client, { minLength: 2, maxLength: 4 }),
});
const command = fc.oneof(
  { weight: 5, arbitrary: client },
  { weight: 2, arbitrary: world },
  { weight: 1, arbitrary: together },
) as fc.Arbitrary<Command>;

const defects = fc.record({
  clicksAgain: fc.boolean(),
  encoding: fc.constantFrom("json" as const, "form" as const, "query" as const, "spaced" as const),
  scheme: fc.constantFrom("Bearer", "bearer", "Basic"),
});

test("played, a session's scenario gets every answer that the client got", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(command, { maxLength: 10 }),
      defects,
      arbitraryAssumptions(),
      fc.constantFrom("adsim", "other"),
      async (commands, defect, assumptions, seed) => {
        const options = { seed, assumptions, publishers: 3 };
        const session = await live(
          (context) => createExampleClient(context, defect),
          commands,
          options,
        );
        const scenario = scenarioOf(session, { name: "life", about: "A life.", world: options });
        const text = JSON.stringify(scenario);
        expect(text).not.toContain("key_");
        const parsed = parseScenario(JSON.parse(text));
        const simulator = simulatorFor(parsed);
        const result = playScenarioSync(parsed, { simulator });
        const answers = (sim: typeof simulator): unknown[] =>
          sim.journal.entries({ secrets: "shown" }).map((entry) => ({
            at: entry.at,
            operation: entry.operation,
            response: entry.response,
            reason: entry.reason,
            fault: entry.fault,
          }));
        expect(answers(simulator)).toEqual(answers(session.sim));
        const broken = result.steps.filter((step) => step.verdict === "broken");
        expect(broken).toEqual([]);
      },
    ),
    { numRuns: 12, seed: 4, endOnFailure: true },
  );
});

test("a rule draws as it did, and one that never did anything is left out: the scenario holds", async () => {
  const rule = (operation: string, verdict: object): Command =>
    ({ kind: "fault", rule: { match: { operation, share: 0.5 }, verdict } }) as unknown as Command;
  const showing: Command = { kind: "impression", surface: 0 };
  const commands = [
    rule("payouts", { kind: "drop" }),
    rule("impression", { kind: "respond", status: 500 }),
    ...Array.from({ length: 12 }, () => showing),
  ];
  const options = { publishers: 1 };
  const session = await live((context) => createExampleClient(context), commands, options);
  const scenario = scenarioOf(session, { name: "drawn", about: "A life.", world: options });
  expect(scenario.steps.filter((step) => "fault" in step)).toMatchObject([
    { fault: { id: "rule-2" } },
  ]);
  const { verdict, steps } = playScenarioSync(scenario);
  expect(verdict).toBe("held");
  const statuses = steps.flatMap(({ exchange }) => exchange?.status ?? []);
  expect(statuses).toEqual(session.exchanges.map(({ got }) => got.status));
});

/** A session as a scenario, which plays with the same answers. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { playInWorld, playScenario, simulatorFor } from "../../../src/play/play-scenario.ts";
import { parseScenario } from "../../../src/play/scenario/parse-scenario.ts";
import { runToEnd } from "../../../src/testing/session/run-session.ts";
import {
  arbitraryAssumptions,
  arbitraryCommands,
  type Command,
  type CreateDriver,
  runSession,
  scenarioOf,
} from "../../../src/testing.ts";
import { createExampleClient, type Receipt, sending } from "./example-client.ts";

const lives = arbitraryCommands({
  minLength: 0,
  maxLength: 5,
  kinds: ["impression", "click", "again", "stats", "payouts", "fault", "fault", "heal", "together"],
});
// The recording limit is spent in part only: all of it is thousands of requests.
const spends = fc.constantFrom<readonly Command[]>(
  [],
  [{ kind: "spend", left: 1, of: "reporting" }],
  [{ kind: "spend", left: 9990, of: "recording" }],
);
const sequences = fc.tuple(lives, spends, lives).map((parts) => parts.flat());

/** Requests that a scenario's own steps don't make. */
const odd: readonly Parameters<typeof sending>[1][] = [
  () => undefined,
  ({ headers }) => {
    headers.authorization = headers.authorization?.replace("Bearer", "bearer") ?? "";
  },
  ({ headers }) => {
    headers.authorization = "Basic bm9ib2R5";
  },
  ({ headers, body }) => {
    headers["x-client"] = "1";
    body.ad_id = 7;
  },
];
const clients = fc
  .record({
    clicksAgain: fc.boolean(),
    encoding: fc.constantFrom("json" as const, "form" as const, "query" as const),
    change: fc.constantFrom(...odd),
  })
  .map(({ change, ...options }): CreateDriver<Receipt> => {
    const isJson = options.encoding === "json";
    return (context) => createExampleClient(isJson ? sending(context, change) : context, options);
  });

test("a session's scenario gets every answer that the client got", async () => {
  await fc.assert(
    fc.asyncProperty(
      sequences,
      clients,
      arbitraryAssumptions(),
      fc.constantFrom("adsim", "other"),
      async (commands, client, assumptions, seed) => {
        const options = { seed, assumptions, publishers: 3 };
        const { session, sim } = await runToEnd(client, commands, options);
        const scenario = scenarioOf(session, { name: "life", about: "A life.", world: options });
        const text = JSON.stringify(scenario);
        expect(text).not.toContain("key_");
        const parsed = parseScenario(JSON.parse(text));
        const simulator = simulatorFor(parsed);
        const result = await playInWorld(simulator, parsed);
        const answers = ({ journal }: Pick<typeof sim, "journal">): unknown[] =>
          journal.entries({ secrets: "shown" }).map((entry) => ({
            at: entry.at,
            operation: entry.operation,
            response: entry.response,
            reason: entry.reason,
            fault: entry.fault,
          }));
        expect(answers(simulator)).toEqual(answers(sim));
        const broken = result.steps.filter((step) => step.result === "failed");
        expect(broken).toEqual([]);
      },
    ),
    { numRuns: 16, seed: 4, endOnFailure: true },
  );
});

test("a scenario repeats a rule's random draws, leaves out a rule that never fired, and holds", async () => {
  const rule = (operation: string, verdict: object): Command =>
    ({ kind: "fault", rule: { match: { operation, share: 0.5 }, verdict } }) as unknown as Command;
  const adView: Command = { kind: "impression", surface: 0 };
  const commands = [
    rule("payouts", { kind: "drop" }),
    rule("impression", { kind: "respond", status: 500 }),
    ...Array.from({ length: 12 }, () => adView),
  ];
  const options = { publishers: 1 };
  const session = await runSession((context) => createExampleClient(context), commands, options);
  const scenario = scenarioOf(session, { name: "drawn", about: "A life.", world: options });
  expect(scenario.steps.filter((step) => "fault" in step)).toMatchObject([
    { fault: { id: "rule-2" } },
  ]);
  const { result, steps } = await playScenario(scenario);
  expect(result).toBe("passed");
  const statuses = steps.flatMap(({ exchange }) => exchange?.status ?? []);
  expect(statuses).toEqual(session.requests.map(({ got }) => got.status));
});

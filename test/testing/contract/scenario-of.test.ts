/** A session as a scenario, which plays with the same answers. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { playInWorld, simulatorFor } from "../../../src/play/play-scenario.ts";
import { parseScenario } from "../../../src/play/scenario/parse-scenario.ts";
import { runToEnd } from "../../../src/testing/session/run-session.ts";
import {
  arbitraryAssumptions,
  arbitraryCommands,
  type Command,
  type CreateDriver,
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
/** One never acts, and a scenario in which a rule doesn't act is undecided. The other is drawn, by its id. */
const rules: readonly Command[] = [
  { kind: "fault", rule: { match: { nth: 999 }, verdict: { kind: "drop" } } },
  { kind: "fault", rule: { match: { share: 0.2 }, verdict: { kind: "respond", status: 500 } } },
];
const views: readonly Command[] = Array.from({ length: 5 }, () => ({
  kind: "impression",
  surface: 0,
}));
const sequences = fc
  .tuple(fc.constantFrom([], [...rules, ...views]), lives, spends, lives)
  .map((parts) => parts.flat());

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
        expect(result.steps.filter((step) => step.result === "failed")).toEqual([]);
        expect(result.result).toBe("passed");
      },
    ),
    { numRuns: 16, seed: 4, endOnFailure: true },
  );
});

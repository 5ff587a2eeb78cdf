/** Whatever was sent, under any assumptions: a journal as a scenario gets the recorded answers again. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { type ApiRequest, type Assumptions, createSimulator } from "../../../src/index.ts";
import { readRecording } from "../../../src/journal/read-recording.ts";
import { scenarioOfRecording } from "../../../src/play/recording/scenario-of-recording.ts";
import { playScenario } from "../../../src/scenario.ts";
import { arbitraryRequest } from "../../../src/testing.ts";
import { createMarks } from "../../marks.ts";
import { anyAssumptions } from "../../properties/assumptions.ts";
import { checkAsyncProperty } from "../../properties/check-property.ts";

const options = { seed: "round trip", publishers: 2 };
const request = arbitraryRequest({ sim: createSimulator(options) });

const changes = [{ "dedup.repeat": "conflict" }, { "errors.body": "flat" }] as const;
const event = fc.record({
  waitMs: fc.oneof(fc.constant(0), fc.constant(0), fc.nat(90_000), fc.nat(40 * 86_400_000)),
  choices: fc.constantFrom({}, {}, {}, {}, {}, ...changes),
  // A request, or a click on one of the impressions before.
  sent: fc.oneof(request, request, fc.record({ by: fc.nat(1), place: fc.nat(5) })),
});
type Event = typeof event extends fc.Arbitrary<infer One> ? One : never;

/** The journal of a world in which this happened. */
function journalOf(assumptions: Assumptions, events: readonly Event[]): string {
  const sim = createSimulator({ ...options, assumptions });
  const shown: string[] = [];
  const clickOf = (by: number, place: number): ApiRequest => ({
    ...{ method: "POST", path: "/v1/click" },
    headers: { authorization: `Bearer ${sim.publishers.at(by).apiKey}` },
    body: { impression_id: shown[place] ?? "none" },
  });
  for (const { waitMs, choices, sent } of events) {
    sim.clock.advance(waitMs);
    sim.assume(choices);
    const answer = sim.handle("by" in sent ? clickOf(sent.by, sent.place) : sent.request);
    const id = /"impression_id":"([^"]+)"/.exec(answer.body)?.[1];
    if (id !== undefined) shown.push(id);
  }
  return sim.journal.toNdjson();
}

const again = "a journal played as a scenario gets the same answers";
test(again, { timeout: 120_000 }, async () => {
  const marks = createMarks();
  await checkAsyncProperty(
    { test: again, file: "test/play/recording/round-trip.test.ts", runs: 200 },
    fc.asyncProperty(
      anyAssumptions([]),
      fc.array(event, { minLength: 1, maxLength: 20, size: "max" }),
      async (assumptions, events) => {
        const recording = readRecording(journalOf(assumptions, events).split("\n"));
        const how = { name: "again", expects: "answers", publishers: "world" } as const;
        const { scenario, entries } = scenarioOfRecording(recording, how);
        if (scenario.steps.some((step) => "assume" in step)) marks.sometimes("assume");
        const { steps } = await playScenario(scenario);
        for (const { path, result, checks } of steps) {
          const recorded = entries.get(path);
          if (recorded === undefined) continue;
          marks.sometimes(String(recorded.response.status));
          marks.sometimes(`${recorded.operation} ${result}`);
          const differing = checks.filter((one) => one.result !== "passed");
          expect(differing, JSON.stringify(recorded.request)).toEqual([]);
        }
      },
    ),
  );
  marks.expectReached("assume,200,400,401,403,404,click passed,stats passed".split(","));
});

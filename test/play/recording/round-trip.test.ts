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
const { publishers } = createSimulator(options);
const request = arbitraryRequest({
  publishers: [publishers.at(0), publishers.at(1)],
  impressions: [],
});

type Event =
  | { readonly kind: "request"; readonly request: ApiRequest }
  | { readonly kind: "click"; readonly by: number; readonly place: number }
  | { readonly kind: "wait"; readonly ms: number }
  | { readonly kind: "assume"; readonly choices: Readonly<Record<string, string>> };

const event: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 8,
    arbitrary: request.map((one): Event => ({ kind: "request", request: one.request })),
  },
  {
    weight: 4,
    arbitrary: fc
      .record({ by: fc.nat(1), place: fc.nat(5) })
      .map((one): Event => ({ kind: "click", ...one })),
  },
  {
    weight: 3,
    arbitrary: fc
      .oneof(fc.nat(90_000), fc.nat(40 * 86_400_000))
      .map((ms): Event => ({ kind: "wait", ms })),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(
        { "dedup.repeat": "conflict" },
        { "errors.body": "flat" },
        { "surface.unknown": "400" },
      )
      .map((choices): Event => ({ kind: "assume", choices })),
  },
);

/** The journal of a world in which this happened. */
function journalOf(assumptions: Assumptions, events: readonly Event[]): string {
  const sim = createSimulator({ ...options, assumptions });
  const shown: string[] = [];
  for (const one of events) {
    if (one.kind === "wait") sim.clock.advance(one.ms);
    else if (one.kind === "assume") sim.assume(one.choices);
    else if (one.kind === "request") {
      const id = /"impression_id":"([^"]+)"/.exec(sim.handle(one.request).body)?.[1];
      if (id !== undefined) shown.push(id);
    } else {
      const headers = { authorization: `Bearer ${sim.publishers.at(one.by).apiKey}` };
      const body = { impression_id: shown[one.place] ?? "none" };
      sim.handle({ method: "POST", path: "/v1/click", headers, body });
    }
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
        const ndjson = journalOf(assumptions, events);
        if (ndjson === "") return;
        const { scenario, entries } = scenarioOfRecording(readRecording(ndjson.split("\n")), {
          ...{ name: "again", expects: "answers", publishers: "world" },
        });
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
  marks.expectReached(["200", "400", "401", "403", "404", "click passed", "stats passed"]);
});

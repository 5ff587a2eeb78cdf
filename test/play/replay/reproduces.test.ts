/** R5: replaying what was recorded gives the same bytes, whatever was sent and under any assumptions. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { nodeHost } from "../../../src/adapters/node-host.ts";
import { type ApiRequest, createSimulator, type Simulator } from "../../../src/index.ts";
import { readRecording } from "../../../src/journal/read-recording.ts";
import type { Recording } from "../../../src/journal/recorded-entry.ts";
import type { Replay } from "../../../src/play/replay/replay.ts";
import { replayInProcess } from "../../../src/play/replay/replay-in-process.ts";
import { createMarks } from "../../marks.ts";
import { anyAssumptions } from "../../properties/assumptions.ts";
import { checkProperty } from "../../properties/check-property.ts";
import { anyRequest, filledIn } from "../../properties/garbage.ts";
import { lineOf, worldOf } from "./recorded.ts";

const JSON_TYPE = { "content-type": "application/json" };

type Step =
  | { readonly kind: "any"; readonly request: ApiRequest }
  | {
      readonly kind: "impression";
      readonly who: number;
      readonly session: number;
      readonly times: number;
    }
  | { readonly kind: "click"; readonly who: number; readonly place: number }
  | { readonly kind: "report"; readonly who: number; readonly path: string; readonly times: number }
  | { readonly kind: "bytes"; readonly body: Uint8Array }
  | { readonly kind: "wait"; readonly ms: number }
  | { readonly kind: "assume"; readonly choices: Readonly<Record<string, string>> };

const who = fc.nat(2);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: anyRequest.map((request): Step => ({ kind: "any", request })) },
  {
    weight: 6,
    arbitrary: fc
      .record({ who, session: fc.nat(3), times: fc.integer({ min: 1, max: 3 }) })
      .map((of): Step => ({ kind: "impression", ...of })),
  },
  {
    weight: 4,
    arbitrary: fc.record({ who, place: fc.nat(5) }).map((of): Step => ({ kind: "click", ...of })),
  },
  {
    weight: 4,
    arbitrary: fc
      .record({
        who,
        path: fc.constantFrom("stats", "surfaces", "payouts"),
        times: fc.constantFrom(1, 2, 61),
      })
      .map((of): Step => ({ kind: "report", ...of })),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(
        [0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf, 0x7b, 0x7d],
        [0xff, 0x7b],
        [0xe2, 0x82, 0x7d],
      )
      .map((list): Step => ({ kind: "bytes", body: Uint8Array.from(list) })),
  },
  {
    weight: 3,
    arbitrary: fc
      .oneof(fc.nat(90_000), fc.nat(40 * 86_400_000))
      .map((ms): Step => ({ kind: "wait", ms })),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(
        { "dedup.repeat": "conflict" },
        { "limit.algorithm": "sliding-log" },
        { "errors.body": "flat" },
        { "ids.format": "uuid" },
      )
      .map((choices): Step => ({ kind: "assume", choices })),
  },
);

/** Rules of every kind, of which each request meets one or none. */
const rules = fc.subarray([
  { match: { every: 5 }, verdict: { kind: "lose-response" } },
  { match: { every: 4 }, verdict: { kind: "drop" } },
  { match: { every: 3, times: 3 }, verdict: { kind: "duplicate", answer: "second" } },
  { match: { share: 0.1 }, verdict: { kind: "truncate", share: 0.5 } },
  { match: { share: 0.1 }, verdict: { kind: "garbage" } },
  { match: { nth: 2 }, verdict: { kind: "respond", status: 500, applied: true } },
  { match: { nth: 7 }, verdict: { kind: "respond", status: 503 } },
  { match: { nth: 9 }, verdict: { kind: "delay", delay: 5 } },
] as const);

/** Performs the steps and records each request with the world that answered it. */
function record(sim: Simulator, options: object, steps: readonly Step[]): string[] {
  const lines: string[] = [];
  let latest = 0;
  const clickable = new Map<number, string[]>();
  const known = knownIn(sim);
  const send = (request: ApiRequest): string => {
    const { body } = sim.handle(request);
    // One, or the two that a duplicate makes.
    const added = sim.journal.entries({ limit: 2 }).filter(({ sequence }) => sequence > latest);
    latest = sim.journal.total;
    for (const entry of added) lines.push(lineOf(entry, worldOf(sim, options)));
    return body;
  };
  for (const one of steps) perform(one, { sim, send, clickable, known });
  return lines;
}

interface Scene {
  readonly sim: Simulator;
  readonly send: (request: ApiRequest) => string;
  readonly clickable: Map<number, string[]>;
  readonly known: Readonly<Record<string, string>>;
}

function perform(step: Step, { sim, send, clickable, known }: Scene): void {
  switch (step.kind) {
    case "any":
      send(filledIn(step.request, known));
      return;
    case "bytes":
      send({
        method: "POST",
        path: "/v1/click",
        headers: { authorization: `Bearer ${sim.publishers.at(0).apiKey}`, ...JSON_TYPE },
        body: step.body,
      });
      return;
    case "impression": {
      const { id, apiKey, surfaces } = sim.publishers.at(step.who);
      const ad = { publisher_id: id, surface: surfaces[0]?.id, ad_id: "ad" };
      for (let sent = 0; sent < step.times; sent += 1) {
        const body = send({
          method: "POST",
          path: "/v1/impression",
          headers: { authorization: `Bearer ${apiKey}`, ...JSON_TYPE },
          body: { ...ad, session_id: `s${step.session}` },
        });
        const made = /"impression_id":"([^"]+)"/.exec(body)?.[1];
        if (made !== undefined) clickable.set(step.who, [...(clickable.get(step.who) ?? []), made]);
      }
      return;
    }
    case "click": {
      const made = clickable.get(step.who) ?? [];
      send({
        method: "POST",
        path: "/v1/click",
        headers: { authorization: `bearer ${sim.publishers.at(step.who).apiKey}`, ...JSON_TYPE },
        body: { impression_id: made[step.place % Math.max(1, made.length)] ?? "none" },
      });
      return;
    }
    case "report": {
      const { id, apiKey } = sim.publishers.at(step.who);
      for (let sent = 0; sent < step.times; sent += 1) {
        send({
          method: "GET",
          path: `/v1/publisher/${step.path}`,
          query: `publisher_id=${id}`,
          headers: { authorization: `Bearer ${apiKey}` },
        });
      }
      return;
    }
    case "wait":
      sim.clock.advance(step.ms);
      return;
    case "assume":
      sim.assume(step.choices);
  }
}

/** What the placeholders in any request stand for. No impression: one made beforehand would not be in the recording. */
function knownIn(sim: Simulator): Readonly<Record<string, string>> {
  const [own, other] = [sim.publishers.at(0), sim.publishers.at(1)];
  return {
    "OWN-ID": own.id,
    // Not the key: in a body or a query a journal redacts it, and an answer can show that the replayed one is another.
    "OWN-SURFACE": own.surfaces[0]?.id ?? "",
    "OWN-IMPRESSION": "none",
    "OTHER-ID": other.id,
    "OWN-KEY": own.apiKey,
    "OTHER-KEY": other.apiKey,
  };
}

function replayed(recording: Recording): Replay {
  return replayInProcess(recording, {
    host: nodeHost,
    chosen: { assumptions: {} },
    time: "recorded",
  });
}

const reproduces = "R5: a journal replayed in a fresh world gives the same bytes";
test(reproduces, { timeout: 120_000 }, () => {
  const marks = createMarks();
  checkProperty(
    { test: reproduces, file: "test/play/replay/reproduces.test.ts", runs: 400 },
    fc.property(
      anyAssumptions(["errors.body", "auth.failure", "request.encoding"]),
      rules,
      fc.boolean(),
      fc.array(step, { minLength: 1, maxLength: 25, size: "max" }),
      (assumptions, faults, explain, steps) => {
        const options = { seed: "r5", publishers: 3, assumptions, faults, explain };
        const lines = record(createSimulator(options), options, steps);
        if (lines.length === 0) return;
        for (const { entry, outcome } of replayed(readRecording(lines)).replayed) {
          marks.sometimes(outcome.kind);
          marks.sometimes(String(entry.response.status));
          if (outcome.kind === "different") {
            expect({ request: entry.request, difference: outcome.difference }).toBe("the same");
          }
        }
      },
    ),
  );
  marks.expectReached(["same", "skipped", "200", "400", "401", "403", "404", "405", "415", "429"]);
});

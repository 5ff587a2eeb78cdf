/** A world as it was at an entry of its journal: compared with snapshots that were taken there the first time. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createSimulator, type Simulator } from "../../src/index.ts";
import type { ApiRequest } from "../../src/spec/messages.ts";
import { runsOf } from "../budget.ts";

/** What may happen, by number, so that a sequence shrinks. */
const deeds: readonly ((sim: Simulator, pick: number) => unknown)[] = [
  (sim, pick) => sim.handle(impression(sim, pick)),
  (sim, pick) => sim.handle(impression(sim, pick)),
  (sim, pick) => sim.handle(get(sim, pick, ["stats", "surfaces", "payouts"][pick % 3] ?? "stats")),
  (sim, pick) => sim.handle({ ...impression(sim, pick), headers: {} }),
  (sim, pick) => {
    const { body } = sim.handle(impression(sim, pick));
    const id = /imp_\w+/.exec(body)?.[0] ?? "imp_none";
    return sim.handle(post(sim, pick, "click", { impression_id: id }));
  },
  (sim, pick) => sim.clock.advance(pick * 977),
  (sim, pick) => sim.clock.advance(`${pick % 40}d`),
  (sim, pick) => sim.publishers.rotateKey(sim.publishers.at(pick % 2).id),
  (sim, pick) => sim.publishers.signUp({ name: `N${pick}`, surfaces: ["One"] }),
  (sim, pick) => {
    const { id, surfaces } = sim.publishers.at(pick % 2);
    sim.publishers.setSurface(id, surfaces[0]?.id ?? "", {
      status: pick % 2 ? "paused" : "active",
    });
  },
  (sim, pick) =>
    sim.assume({
      "dedup.repeat": pick % 2 ? "conflict" : "replay",
      "limit.algorithm": "sliding-log",
    }),
  (sim, pick) =>
    sim.faults.add({
      match: { every: 2 + (pick % 3) },
      verdict: verdicts[pick % 5] ?? { kind: "drop" },
    }),
  (sim) => {
    let calls = 0;
    sim.faults.add(() => ((calls += 1) % 3 === 0 ? { kind: "lose-response" } : undefined));
  },
  (sim) => sim.faults.clear(),
  (sim) => sim.faults.remove("rule-1"),
];
const verdicts = [
  { kind: "drop" },
  { kind: "lose-response" },
  { kind: "duplicate" },
  { kind: "respond", status: 503 },
  { kind: "truncate", atByte: 5 },
] as const;

function impression(sim: Simulator, pick: number): ApiRequest {
  const { id, surfaces } = sim.publishers.at(pick % 2);
  const surface = surfaces[pick % surfaces.length]?.id;
  const event = { publisher_id: id, surface, ad_id: `ad-${pick % 3}`, session_id: `s-${pick % 4}` };
  return post(sim, pick, "impression", event);
}

function post(sim: Simulator, pick: number, path: string, body: object): ApiRequest {
  const headers = { authorization: `Bearer ${sim.publishers.at(pick % 2).apiKey}` };
  return { method: "POST", path: `/v1/${path}`, headers, body: JSON.stringify(body) };
}

function get(sim: Simulator, pick: number, path: string): ApiRequest {
  const { id, apiKey } = sim.publishers.at(pick % 2);
  const headers = { authorization: `Bearer ${apiKey}` };
  return { method: "GET", path: `/v1/publisher/${path}`, query: `publisher_id=${id}`, headers };
}

/** The state without what a function rule keeps from being saved. */
function stateOf(sim: Simulator): string {
  const faults = JSON.stringify(sim.faults.list());
  const copy = sim.fork();
  copy.faults.clear();
  const { digest: _, faults: __, ...state } = copy.snapshot();
  return JSON.stringify([state, faults]);
}

const sequences = fc.array(
  fc.tuple(fc.nat(deeds.length - 1), fc.nat(60)).map(([deed, pick]) => ({ deed, pick })),
  { minLength: 1, maxLength: 60 },
);

describe("a moment", () => {
  test("after any entry is rebuilt as it was, whatever was done by hand in between", () => {
    fc.assert(
      fc.property(sequences, (sequence) => {
        const sim = createSimulator({ publishers: 3 });
        const after = [stateOf(sim)];
        const before: string[] = [];
        for (const { deed, pick } of sequence) {
          const changed = stateOf(sim);
          const { total } = sim.journal;
          deeds[deed]?.(sim, pick);
          if (sim.journal.total > total) before[total + 1] = changed;
          after[sim.journal.total] ??= stateOf(sim);
        }
        for (const [entry, state] of after.entries()) {
          if (state !== undefined) expect(stateOf(sim.fork({ after: entry }))).toBe(state);
        }
        for (const [entry, state] of before.entries()) {
          if (state !== undefined) expect(stateOf(sim.fork({ before: entry }))).toBe(state);
        }
      }),
      { numRuns: runsOf(400, 40) },
    );
  });
});

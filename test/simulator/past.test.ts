/** A world as it was at an entry of its journal: compared with the states that were noted there the first time. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { whatIf } from "../../src/choices/what-if.ts";
import { createSimulator, type Simulator } from "../../src/index.ts";
import type { HostedCore, SimulatorCore } from "../../src/simulator/core.ts";
import { createSimulatorCore } from "../../src/simulator/core.ts";
import type { ApiRequest } from "../../src/spec/messages.ts";
import { fakerHost } from "../../src/world/publishers/people.ts";
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
  // Not a request at all. Fault rules count it.
  (sim) => sim.handle(null as never),
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
      verdict: verdicts[pick % verdicts.length] ?? { kind: "drop" },
    }),
  (sim) => {
    let calls = 0;
    sim.faults.add(() => {
      calls += 1;
      return calls % 3 === 0 ? { kind: "lose-response" } : undefined;
    });
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
  { kind: "duplicate", answer: "second", delay: "1s" },
] as const;

function impression(sim: SimulatorCore, pick: number): ApiRequest {
  const { id, surfaces } = sim.publishers.at(pick % 2);
  const surface = surfaces[pick % surfaces.length]?.id;
  const event = { publisher_id: id, surface, ad_id: `ad-${pick % 3}`, session_id: `s-${pick % 4}` };
  return post(sim, pick, "impression", event);
}

function post(sim: SimulatorCore, pick: number, path: string, body: object): ApiRequest {
  const headers = { authorization: `Bearer ${sim.publishers.at(pick % 2).apiKey}` };
  return { method: "POST", path: `/v1/${path}`, headers, body: JSON.stringify(body) };
}

function get(sim: Simulator, pick: number, path: string): ApiRequest {
  const { id, apiKey } = sim.publishers.at(pick % 2);
  const headers = { authorization: `Bearer ${apiKey}` };
  return { method: "GET", path: `/v1/publisher/${path}`, query: `publisher_id=${id}`, headers };
}

/** `saved` without its functions, which a snapshot can't hold. */
function restoreTo(sim: Simulator, saved: Simulator): void {
  const copy = saved.fork();
  copy.faults.clear();
  sim.restore(copy.snapshot());
}

function hosted(sim: Simulator): HostedCore {
  return sim as unknown as HostedCore;
}

/** The state without what a function rule keeps from being saved. */
function stateOf(sim: SimulatorCore): string {
  const faults = JSON.stringify(sim.faults.list());
  const copy = sim.fork();
  copy.faults.clear();
  const { digest: _, faults: __, ...state } = copy.snapshot();
  return JSON.stringify([state, faults]);
}

const sequences = fc.array(
  // The last two save a copy, and restore it.
  fc.tuple(fc.nat(deeds.length + 1), fc.nat(60)).map(([deed, pick]) => ({ deed, pick })),
  { minLength: 1, maxLength: 60 },
);

const original = { kind: "request", members: {} } as const;

test("any moment is rebuilt as it was, and its request gets the same answer again", () => {
  fc.assert(
    fc.property(sequences, (sequence) => {
      const sim = createSimulator({ publishers: 3 });
      const after = [stateOf(sim)];
      const before: string[] = [];
      let saved = sim.fork();
      for (const { deed, pick } of sequence) {
        const changed = stateOf(sim);
        const { total } = sim.journal;
        if (deed === deeds.length) saved = sim.fork();
        else if (deed === deeds.length + 1) restoreTo(sim, saved);
        else deeds[deed]?.(sim, pick);
        if (sim.journal.total > total) before[total + 1] = changed;
        after[sim.journal.total] ??= stateOf(sim);
      }
      const end = stateOf(sim);
      const entries = sim.journal.entries();
      for (const [entry, state] of after.entries()) {
        if (state === undefined) continue;
        const rebuilt = sim.fork({ after: entry });
        expect(stateOf(rebuilt)).toBe(state);
        // As do the two entries of a duplicated request.
        if (entries[entry]?.fault?.application === 2)
          expect(stateOf(sim.fork({ after: entry + 1 }))).toBe(state);
        rebuilt.faults.clear();
        const copy = createSimulator();
        copy.restore(rebuilt.snapshot());
        expect(stateOf(copy)).toBe(stateOf(rebuilt));
      }
      for (const [entry, state] of before.entries()) {
        if (state !== undefined) expect(stateOf(sim.fork({ before: entry }))).toBe(state);
      }
      for (const { sequence, reason, fault, response } of entries) {
        if (reason === "malformed_request" || fault?.received === "nothing") continue;
        const { status, headers, body } = whatIf(hosted(sim), sequence, original).before;
        expect({ status, headers, body }).toEqual(response);
      }
      expect(stateOf(sim)).toBe(end);
    }),
    { numRuns: runsOf(200, 20) },
  );
});

function send(sim: SimulatorCore, count: number): void {
  for (let index = 0; index < count; index += 1) {
    sim.handle(impression(sim, index));
    if (index % 7 === 0) sim.clock.advance("11s");
  }
}

/** The states after each `step` entries. */
function statesWhileSending(sim: Simulator, count: number, step: number): Map<number, string> {
  const states = new Map<number, string>();
  for (let sent = 0; sent < count; sent += step) {
    send(sim, step);
    states.set(sim.journal.total, stateOf(sim));
  }
  return states;
}

test("a journal that drops entries has four fifths of its moments or more, and says which", () => {
  const sim = createSimulator({ journalEntries: 800 });
  const states = statesWhileSending(sim, 3000, 97);
  const { first = 0 } = hosted(sim).past;
  const { total } = sim.journal;
  expect(first).toBeLessThanOrEqual(total - 640);
  const reached = [...states].filter(([after]) => after >= first);
  for (const [after, state] of reached) expect(stateOf(sim.fork({ after }))).toBe(state);
  expect(() => sim.fork({ after: first - 1 })).toThrow(
    `after is too early: the first moment that can still be rebuilt is right after entry ${first}`,
  );
});

test("no moment has what was done by hand after it", () => {
  const sim = createSimulator({ journalEntries: 40 });
  const states: string[] = [];
  for (let sent = 1; sent <= 78; sent += 1) {
    if (sent % 2 === 1) sim.clock.advance("36h");
    sim.handle(impression(sim, sent));
    states[sent] = stateOf(sim);
  }
  const { first = 0 } = hosted(sim).past;
  expect(first).toBeLessThan(50);
  expect(() => sim.fork({ after: 1 })).toThrow(`right after entry ${first}.`);
  for (let after = first; after <= 78; after += 1)
    expect(stateOf(sim.fork({ after }))).toBe(states[after]);
  expect(() => sim.fork({ after: first - 1 })).toThrow(`right after entry ${first}.`);
});

test("a reset forgets the moments before it; a fork and a cleared journal begin where they are", () => {
  const sim = createSimulator();
  send(sim, 5);
  const fork = sim.fork();
  const forked = stateOf(fork);
  fork.clock.advance("1h");
  send(fork, 1);
  expect(stateOf(fork.fork({ after: 0 }))).toBe(forked);

  sim.reset({ seed: "other" });
  const fresh = stateOf(sim);
  send(sim, 2);
  expect(stateOf(sim.fork({ after: 0 }))).toBe(fresh);
  expect(() => sim.fork({ after: 5 })).toThrow("from 0 to 2");

  const second = stateOf(sim);
  sim.journal.clear();
  expect(() => sim.fork({ after: 1 })).toThrow("right after entry 2.");
  send(sim, 3);
  expect(stateOf(sim.fork({ after: 2 }))).toBe(second);
  expect(stateOf(sim.fork({ after: 5 }))).toBe(stateOf(sim));
});

test("a rule that is a function isn't called again, and decides as it did", () => {
  const sim = createSimulator();
  let calls = 0;
  sim.faults.add(({ number }) => {
    calls += 1;
    return number === 2 ? { kind: "drop" } : undefined;
  });
  send(sim, 3);
  const rebuilt = sim.fork({ after: 3 });
  expect(stateOf(rebuilt)).toBe(stateOf(sim));
  expect(calls).toBe(3);
  // From there on it is asked again.
  rebuilt.handle(impression(rebuilt, 9));
  expect(calls).toBe(4);
});

test("an answer that a client left is lost again", async () => {
  const sim = createSimulator();
  sim.faults.add({ verdict: { kind: "delay", delay: 10_000 } });
  const { path, ...request } = impression(sim, 0);
  const init = { ...(request as RequestInit), signal: AbortSignal.timeout(5) };
  await expect(sim.fetch(`http://ads.test${path}`, init)).rejects.toThrow();
  expect(sim.audit().total.lost).toBe(1);
  expect(stateOf(sim.fork({ after: 1 }))).toBe(stateOf(sim));
});

test("real time doesn't flow into the past: a clock that shows it flows on from the moment", () => {
  let wallMs = Date.parse("2026-03-01T00:00:00Z");
  const sim = createSimulator({ clock: "system", wallClock: () => wallMs });
  sim.handle(impression(sim, 1));
  wallMs += 86_400_000;
  sim.handle(impression(sim, 2));
  const early = sim.fork({ after: 1 });
  expect(early.clock.mode).toBe("flowing");
  expect(new Date(early.clock.now()).toISOString()).toBe("2026-03-01T00:00:00.000Z");
});

describe("a world that is too large to be copied", () => {
  const host = { ...fakerHost, maxCopyBytes: 4000 };

  test("keeps all moments while its journal is whole, and then says why it has none", () => {
    const sim = createSimulatorCore({ journalEntries: 400 }, host);
    send(sim, 400);
    expect(sim.past.first).toBe(0);
    expect(sim.fork({ after: 399 }).audit().total.attempts).toBe(399);
    send(sim, 1);
    expect(sim.past.first).toBeUndefined();
    expect(() => sim.fork({ after: 401 })).toThrow(
      /^after can't be rebuilt: the world has more than 4 MiB of state/,
    );
  });

  test("by a restore has no moments from there on", () => {
    const large = createSimulatorCore({}, host);
    send(large, 400);
    const sim = createSimulatorCore({}, host);
    send(sim, 3);
    sim.restore(large.snapshot());
    send(sim, 3);
    expect(sim.fork({ after: 3 }).audit().total.attempts).toBe(3);
    expect(() => sim.fork({ before: 5 })).toThrow("the state was replaced by one of more than");
  });
});

test("restoring before each test keeps the latest moments, and not more and more memory", () => {
  const sim = createSimulatorCore({}, { ...fakerHost, maxCopyBytes: 8000 });
  send(sim, 20);
  const saved = sim.snapshot();
  for (let round = 0; round < 200; round += 1) {
    sim.restore(saved);
    sim.handle(impression(sim, round));
  }
  const { first = 0 } = sim.past;
  expect(first).toBeGreaterThan(200);
  expect(first).toBeLessThan(217);
  expect(sim.fork({ after: first + 1 }).audit().total.attempts).toBe(21);
});

test("no change by hand pushes out a request", () => {
  const sim = createSimulator();
  const start = sim.clock.now();
  for (let sent = 1; sent <= 3; sent += 1) {
    for (let change = 0; change < 10_000; change += 1) sim.clock.advance(1);
    sim.handle(impression(sim, sent));
  }
  expect(sim.journal.kept).toBe(3);
  expect(sim.fork({ after: 1 }).clock.now() - start).toBe(10_000);
});

test.each([
  [{ after: -1 }, /^after must be the number of an entry of the journal, from 0 to 2/],
  [{ before: 0 }, /^before must be .*, from 1 to 2/],
  [{ after: 3 }, /from 0 to 2/],
  [{ before: 3 }, /from 1 to 2/],
  [{ after: 1.5 }, /^after must be the number/],
  [{ after: "1" }, /^after must be the number/],
  [{}, /^moment must be \{ after: N \} or \{ before: N \}/],
  [{ after: 1, before: 1 }, /^moment must be \{ after: N \} or \{ before: N \}/],
  [null, /^moment must be/],
  [{ afer: 1 }, /^afer is not known here/],
])("%j is no moment, and the error says why", (moment, message) => {
  const sim = createSimulator();
  send(sim, 2);
  expect(() => sim.fork(moment as never)).toThrow(message);
});

test("nothing can be rebuilt with the journal off", () => {
  const sim = createSimulator({ journalEntries: 0 });
  send(sim, 2);
  expect(() => sim.fork({ after: 1 })).toThrow(/^after can't be rebuilt: the journal is off/);
});

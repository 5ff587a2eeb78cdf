/** A world as it was at an entry of its journal: compared with snapshots that were taken there the first time. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createSimulator, type Simulator } from "../../src/index.ts";
import { createSimulatorCore } from "../../src/simulator/core.ts";
import { repeatAll } from "../../src/simulator/repetition.ts";
import type { HostedCore, SimulatorCore } from "../../src/simulator/simulator.ts";
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

/** The state without what a function rule keeps from being saved. */
function stateOf(sim: SimulatorCore): string {
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

function send(sim: Simulator, count: number): void {
  for (let index = 0; index < count; index += 1) {
    sim.handle(impression(sim, index));
    if (index % 7 === 0) sim.clock.advance("11s");
  }
}

/** The states after some entries, so far apart that saved states lie between them. */
function statesWhileSending(sim: Simulator, count: number): Map<number, string> {
  const states = new Map<number, string>();
  for (let sent = 0; sent < count; sent += 97) {
    send(sim, 97);
    states.set(sim.journal.total, stateOf(sim));
  }
  return states;
}

describe("a long journal", () => {
  test("is rebuilt from states that are saved on the way", () => {
    const sim = createSimulator();
    const states = statesWhileSending(sim, 1700);
    for (const [after, state] of states) expect(stateOf(sim.fork({ after }))).toBe(state);
  });

  test("that drops entries still has half of its moments or more, and says which it hasn't", () => {
    const sim = createSimulator({ journalEntries: 800 });
    const states = statesWhileSending(sim, 3000);
    const { total, kept } = sim.journal;
    const reached = [...states.keys()].filter((after) => after >= total - kept / 2);
    expect(reached.length).toBeGreaterThan(3);
    for (const after of reached) expect(stateOf(sim.fork({ after }))).toBe(states.get(after));
    expect(() => sim.fork({ after: 1 })).toThrow(
      /^after must be from \d+ to 3007: what an earlier moment is rebuilt from was dropped/,
    );
  });

  test("never has a moment with what was done by hand after it, and lists that while it has the entries", () => {
    const sim = createSimulator({ journalEntries: 40 });
    const states: string[] = [];
    for (let sent = 1; sent <= 78; sent += 1) {
      if (sent % 6 === 1) sim.clock.advance("36h");
      sim.handle(impression(sim, sent));
      states[sent] = stateOf(sim);
    }
    const { history } = sim as unknown as HostedCore;
    const { first = 0 } = history;
    // A state was saved after entry 48, when the clock had been advanced already.
    expect(first).toBe(49);
    for (let after = first; after <= 78; after += 1)
      expect(stateOf(sim.fork({ after }))).toBe(states[after]);
    expect(() => sim.fork({ after: 48 })).toThrow("after must be from 49 to 78: what an");
    const listed = history.changes().map(({ after }) => after);
    expect(listed.filter((after) => after > 38)).toEqual([42, 48, 54, 60, 66, 72]);
  });
});

describe("a state that was replaced", () => {
  test("by restore begins anew, and the moments before it stay", () => {
    const sim = createSimulator();
    send(sim, 3);
    const saved = sim.snapshot();
    const early = stateOf(sim.fork());
    send(sim, 30);
    const late = stateOf(sim);
    sim.restore(saved);
    sim.clock.advance("2h");
    sim.handle(impression(sim, 50));
    const last = stateOf(sim);
    expect(stateOf(sim.fork({ after: 3 }))).toBe(early);
    expect(stateOf(sim.fork({ after: 33 }))).toBe(late);
    expect(stateOf(sim.fork({ after: 34 }))).toBe(last);
  });

  test("by a reset forgets the moments before it", () => {
    const sim = createSimulator();
    send(sim, 5);
    sim.reset({ seed: "other" });
    const fresh = stateOf(sim);
    send(sim, 2);
    expect(stateOf(sim.fork({ after: 0 }))).toBe(fresh);
    expect(() => sim.fork({ after: 5 })).toThrow("from 0 to 2");
  });

  test("in a fork can be rebuilt although something was done by hand before the first request", () => {
    const origin = createSimulator();
    send(origin, 4);
    const sim = origin.fork();
    const first = stateOf(sim);
    sim.clock.advance("1h");
    send(sim, 1);
    expect(stateOf(sim.fork({ after: 0 }))).toBe(first);
  });

  test("in a fork, and after clearing the journal, begins there", () => {
    const origin = createSimulator();
    send(origin, 4);
    const sim = origin.fork();
    const first = stateOf(sim);
    send(sim, 3);
    expect(stateOf(sim.fork({ after: 0 }))).toBe(first);
    const third = stateOf(sim);
    sim.journal.clear();
    expect(() => sim.fork({ after: 2 })).toThrow("must be from 3 to 3");
    expect(stateOf(sim.fork({ after: 3 }))).toBe(third);
    send(sim, 2);
    expect(stateOf(sim.fork({ after: 3 }))).toBe(third);
    expect(stateOf(sim.fork({ after: 5 }))).toBe(stateOf(sim));
  });
});

test("a rule that is a function isn't called again, and decides as it did", () => {
  const sim = createSimulator();
  let calls = 0;
  sim.faults.add(({ number }) => {
    calls += 1;
    return number === 2 ? { kind: "drop" } : undefined;
  });
  send(sim, 3);
  const state = stateOf(sim);
  expect(calls).toBe(3);
  const rebuilt = sim.fork({ after: 3 });
  expect(stateOf(rebuilt)).toBe(state);
  expect(calls).toBe(3);
  // From there on it is asked again.
  rebuilt.handle(impression(rebuilt, 9));
  expect(calls).toBe(4);
});

test("an answer that a client left is lost again", async () => {
  const sim = createSimulator();
  sim.faults.add({ verdict: { kind: "delay", delay: 10_000 } });
  const { id, apiKey, surfaces } = sim.publishers.at(0);
  const event = { publisher_id: id, surface: surfaces[0]?.id, ad_id: "ad", session_id: "s" };
  const left = sim.fetch("http://ads.test/v1/impression", {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify(event),
    signal: AbortSignal.timeout(5),
  });
  await expect(left).rejects.toThrow();
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

test("a world that is too large to be copied says so, and lists what was done by hand", () => {
  const sim = createSimulatorCore({ journalEntries: 40 }, { ...fakerHost, maxSavedBytes: 80_000 });
  for (let sent = 1; sent <= 100; sent += 1) {
    if (sent === 90) sim.publishers.rotateKey(sim.publishers.at(1).id);
    sim.handle(impression(sim, sent));
  }
  for (let at = 0; at < 10; at += 1) sim.publishers.rotateKey(sim.publishers.at(at).id);
  for (let sent = 1; sent <= 100; sent += 1) sim.handle(impression(sim, sent));
  sim.clock.advance("1h");
  for (let sent = 1; sent <= 20; sent += 1) sim.handle(impression(sim, sent));
  expect(sim.history.first).toBeUndefined();
  expect(() => sim.fork({ after: 210 })).toThrow(
    /^after can't be rebuilt: the world is too large for its past to be saved/,
  );
  expect(sim.history.changes()).toMatchObject([{ after: 200, text: "clock advanced by 1 h" }]);
});

describe("of what is done by hand again and again", () => {
  test("every moment stays while there are some tens of thousands of changes", () => {
    const sim = createSimulator();
    const start = sim.clock.now();
    const { apiKey } = sim.publishers.at(0);
    for (let sent = 1; sent <= 9900; sent += 1) {
      sim.clock.advance("1s");
      sim.handle({ method: "GET", path: "/", headers: { authorization: `Bearer ${apiKey}` } });
      sim.clock.advance("2s");
    }
    expect(sim.fork({ after: 1 }).clock.now() - start).toBe(1000);
  });

  test("the older half is dropped if it is too much", () => {
    const sim = createSimulatorCore({}, fakerHost);
    const verdict = { kind: "respond", status: 503, body: "x".repeat(100_000) } as const;
    for (let sent = 1; sent <= 60; sent += 1) {
      sim.faults.add({ id: "long", verdict });
      sim.faults.remove("long");
      sim.handle(impression(sim, sent));
    }
    const { first = 0 } = sim.history;
    expect(first).toBeGreaterThan(10);
    expect(first).toBeLessThan(45);
    expect(sim.fork({ after: first }).audit().total.attempts).toBe(first);
    expect(() => sim.fork({ after: first - 1 })).toThrow(`from ${first} to 60`);
  });

  test("the newer half stays, also while few requests come", () => {
    const sim = createSimulatorCore({}, fakerHost);
    for (let sent = 1; sent <= 490; sent += 1) {
      for (let change = 0; change < 70; change += 1) sim.clock.advance(1);
      sim.handle(impression(sim, sent));
    }
    const { first = 0 } = sim.history;
    expect(first).toBeGreaterThan(0);
    expect(first).toBeLessThan(350);
    expect(sim.fork({ after: first }).audit().total.attempts).toBe(first);
    expect(sim.history.changes().length).toBeGreaterThan(10_000);
  });

  test("a growing world keeps all moments while its journal is whole", () => {
    const host = { ...fakerHost, maxSavedBytes: 80_000 };
    const sim = createSimulatorCore({ journalEntries: 30_000, publishers: 2 }, host);
    for (let sent = 1; sent <= 25_000; sent += 1) {
      sim.handle({ method: "GET", path: "/v1/nothing" });
    }
    expect(sim.history.first).toBe(0);
  });

  test("restoring before each test doesn't take more and more memory", () => {
    const sim = createSimulatorCore({}, { ...fakerHost, maxSavedBytes: 200_000 });
    send(sim as unknown as Simulator, 10);
    const saved = sim.snapshot();
    for (let round = 0; round < 500; round += 1) {
      sim.restore(saved);
      sim.handle(impression(sim, round));
    }
    const { first = 0 } = sim.history;
    expect(first).toBeGreaterThan(100);
    expect(sim.fork({ after: first + 1 }).audit().total.attempts).toBe(11);
  });
});

describe("a moment that isn't one", () => {
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
  ])("%j is refused", (moment, message) => {
    const sim = createSimulator();
    send(sim, 2);
    const before = stateOf(sim);
    expect(() => sim.fork(moment as never)).toThrow(message);
    expect(stateOf(sim)).toBe(before);
  });

  test("before an entry that the journal has dropped is refused", () => {
    const sim = createSimulator({ journalEntries: 20 });
    send(sim, 23);
    expect(() => sim.fork({ before: 1 })).toThrow(
      /^before must be from \d+ to 23|can't be rebuilt/,
    );
    expect(() => sim.fork({ after: 0 })).toThrow(/^after must be from \d+ to 23|can't be rebuilt/);
  });

  test("nothing can be rebuilt with the journal off", () => {
    const sim = createSimulator({ journalEntries: 0 });
    send(sim, 2);
    expect(() => sim.fork({ after: 1 })).toThrow("journal");
  });
});

describe("a script", () => {
  test("can start from the world's beginning while the journal reaches it, and leads to the same state", () => {
    const sim = createSimulatorCore({ publishers: 3 }, fakerHost);
    const play = (count: number): void => {
      for (let sent = 0; sent < count; sent += 1) sim.handle(impression(sim, sent));
    };
    play(1200);
    sim.clock.advance("1h");
    const { history } = sim;
    expect(history.scriptOf("now").from.isStart).toBe(false);
    const script = history.scriptOf("now", "earliest");
    expect(script.from).toMatchObject({ sequence: 0, isStart: true });
    const repetition = sim.beginAt(script.from);
    repeatAll(repetition, script);
    expect(stateOf(repetition.world)).toBe(stateOf(sim));

    // A restored state doesn't follow from what came before.
    sim.restore(sim.snapshot());
    play(700);
    const { from } = history.scriptOf("now", "earliest");
    expect(from).toMatchObject({ sequence: 1200, isStart: false });
  });

  test("starts from the first saved state whose entries the journal still has", () => {
    const sim = createSimulatorCore({ publishers: 3, journalEntries: 200 }, fakerHost);
    for (let sent = 0; sent < 1000; sent += 1) sim.handle(impression(sim, sent));
    const { from, steps } = sim.history.scriptOf("now", "earliest");
    expect(from.isStart).toBe(false);
    expect(from.sequence).toBe(sim.history.first);
    expect(steps).toHaveLength(1000 - from.sequence);
  });

  test("asks rules that are functions nothing while it is repeated, and then whoever is given", () => {
    const sim = createSimulatorCore({}, fakerHost);
    let calls = 0;
    sim.faults.add(() => {
      calls += 1;
      return { kind: "respond", status: 500 };
    });
    sim.handle(impression(sim, 1));
    const script = sim.history.scriptOf("now");
    const repetition = sim.beginAt(script.from);
    repeatAll(repetition, script, () => () => ({ kind: "respond", status: 418 }));
    expect(repetition.world.handle(impression(sim, 2)).status).toBe(418);
    expect(calls).toBe(1);
  });
});

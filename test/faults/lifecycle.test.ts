/** The life of rules: added, listed, removed, expired, saved, forked, and reset to the options. */

import { describe, expect, test } from "vitest";
import type { RuleState } from "../../src/faults/rules.ts";
import {
  createSimulator,
  type FaultMatch,
  type FaultRule,
  InputError,
  type InstalledRule,
  type Simulator,
  type Snapshot,
} from "../../src/index.ts";
import { createSimulatorCore } from "../../src/simulator/core.ts";
import { mark, marked, senderOf } from "../operation-sender.ts";

const idsOf = (sim: Pick<Simulator, "faults">): string[] => sim.faults.list().map(({ id }) => id);

describe("adding", () => {
  test("returns a function that removes that rule, once", () => {
    const sim = createSimulator();
    const { nowhere } = senderOf(sim);
    const stop = sim.faults.add({ verdict: mark });
    sim.faults.add({ match: { nth: 9 }, verdict: mark });
    expect(nowhere().status).toBe(599);
    expect(stop()).toBe(true);
    expect(nowhere().status).toBe(404);
    expect(stop()).toBe(false);
    expect(idsOf(sim)).toEqual(["rule-2"]);
  });

  test("numbers rules without an id, and never reuses an id", () => {
    const sim = createSimulator();
    sim.faults.add({ id: "rule-2", verdict: mark });
    sim.faults.add({ verdict: mark });
    sim.faults.add(() => undefined);
    sim.faults.add({ id: "rule-1", verdict: mark });
    expect(idsOf(sim)).toEqual(["rule-2", "rule-3", "rule-4", "rule-1"]);
    sim.faults.clear();
    // The same id would draw the same numbers again, so another rule gets another id.
    sim.faults.add({ verdict: mark });
    expect(idsOf(sim)).toEqual(["rule-5"]);
  });

  test("copies the rule: later changes by the caller have no effect, and the caller's object isn't changed", () => {
    const headers = { "X-A": "1" };
    const rule = {
      id: "r",
      match: { nth: [1, 3], repeat: { for: 1, every: 2 } },
      verdict: { kind: "respond" as const, status: 500, headers, body: { list: [1] } },
      ttl: undefined,
    };
    const before = structuredClone(rule);
    const sim = createSimulator({ faults: [rule] });
    sim.faults.add({ ...rule, id: "second" });
    expect(rule).toEqual(before);
    rule.match.nth.push(2);
    rule.match.repeat.for = 2;
    headers["X-A"] = "2";
    rule.verdict.body.list.push(2);
    rule.verdict.status = 501;
    for (const installed of sim.faults.list()) {
      expect(installed.match).toEqual(before.match);
      expect(installed.verdict).toEqual(before.verdict);
    }
    const { nowhere } = senderOf(sim);
    expect(nowhere()).toMatchObject({ status: 500, headers: { "x-a": "1" }, body: '{"list":[1]}' });
  });
});

describe("listing", () => {
  test("shows rules as they were added, with their counts", () => {
    const sim = createSimulator({ start: "2026-03-01T00:00:00Z" });
    const verdict = { kind: "delay", delay: "1s" } as const;
    sim.faults.add({ id: "r", match: { every: 2 }, verdict, ttl: "1h" });
    sim.faults.add(() => undefined);
    const { nowhere } = senderOf(sim);
    for (let sent = 0; sent < 5; sent += 1) nowhere();
    expect(sim.faults.list()).toEqual([
      {
        id: "r",
        match: { every: 2 },
        verdict,
        expires: "2026-03-01T01:00:00.000Z",
        seen: 5,
        fired: 2,
      },
      { id: "rule-2", match: undefined, verdict: undefined, expires: undefined, seen: 5, fired: 0 },
    ]);
    expect(sim.faults.get("r")).toEqual(sim.faults.list()[0]);
  });

  test("returns copies", () => {
    const sim = createSimulator({ faults: [{ id: "r", match: { nth: [1] }, verdict: mark }] });
    const [listed] = sim.faults.list() as [InstalledRule];
    (listed.match as { nth: number[] }).nth.push(2);
    Object.assign(sim.faults.get("r").verdict ?? {}, { status: 500 });
    const [saved] = sim.snapshot().faults.rules;
    const { verdict, match } = (saved as RuleState).rule as FaultRule;
    Object.assign(verdict, { status: 501 });
    Object.assign(match?.nth ?? [], [3]);
    expect(sim.faults.get("r")).toMatchObject({ match: { nth: [1] }, verdict: { status: 599 } });
    expect(marked(3, senderOf(sim).nowhere)).toEqual([1]);
  });

  test("refuses an unknown id", () => {
    const sim = createSimulator();
    expect(() => sim.faults.get("rule-1")).toThrow(InputError);
    expect(() => sim.faults.get("rule-1")).toThrow(
      expect.objectContaining({ reason: "not-found", field: "id" }),
    );
  });
});

describe("a time to live", () => {
  test("ends to the millisecond on the world's clock", () => {
    const sim = createSimulator();
    const { nowhere } = senderOf(sim);
    const stop = sim.faults.add({ id: "r", verdict: mark, ttl: "1m" });
    sim.clock.advance(59_999);
    expect(nowhere().status).toBe(599);
    expect(idsOf(sim)).toEqual(["r"]);
    sim.clock.advance(1);
    expect(nowhere().status).toBe(404);
    expect(idsOf(sim)).toEqual([]);
    expect(() => sim.faults.get("r")).toThrow(InputError);
    expect([stop(), sim.faults.remove("r")]).toEqual([false, false]);
  });

  test("leaves nothing of its rule behind when it ends, listed or not", () => {
    const expired = (): Simulator => {
      const sim = createSimulator();
      sim.faults.add({ id: "r", verdict: mark, ttl: 1 });
      sim.clock.advance(1);
      return sim;
    };
    const [one, two] = [expired(), expired()];
    expect(idsOf(two)).toEqual([]);
    expect(one.snapshot()).toEqual(two.snapshot());
    expect(one.snapshot().faults.rules).toEqual([]);
    one.faults.add({ id: "r", verdict: mark });
    expect(idsOf(one)).toEqual(["r"]);
  });

  test("has no end if that would be after the year 9999", () => {
    const sim = createSimulator({ start: "9999-12-31T00:00:00Z" });
    sim.faults.add({ id: "long", verdict: mark, ttl: Number.MAX_SAFE_INTEGER });
    sim.faults.add({ id: "days", verdict: mark, ttl: "30d" });
    expect(sim.faults.list().map(({ expires }) => expires)).toEqual([undefined, undefined]);
    const saved = sim.snapshot();
    sim.restore(JSON.parse(JSON.stringify(saved)));
    expect(sim.snapshot()).toEqual(saved);
  });
});

describe("removing", () => {
  test("by id says whether the rule existed, and forgets its counts", () => {
    const sim = createSimulator({ faults: [{ id: "r", match: { nth: 2 }, verdict: mark }] });
    const { nowhere } = senderOf(sim);
    nowhere();
    expect(sim.faults.remove("r")).toBe(true);
    expect(sim.faults.remove("r")).toBe(false);
    sim.faults.add({ id: "r", match: { nth: 2 }, verdict: mark });
    expect(marked(3, nowhere)).toEqual([2]);
  });

  test("all rules leaves none", () => {
    const sim = createSimulator({ faults: [{ verdict: mark }, () => mark] });
    sim.faults.clear();
    expect(sim.faults.list()).toEqual([]);
    expect(senderOf(sim).nowhere().status).toBe(404);
  });
});

const every3: FaultRule = { id: "third", match: { every: 3 }, verdict: mark };

describe("reset", () => {
  test("restores the options' rules without counts, and with the same draws", () => {
    const half: FaultRule = { match: { share: 0.5 }, verdict: mark };
    const sim = createSimulator({ faults: [every3, half] });
    const { nowhere } = senderOf(sim);
    const before = marked(20, nowhere);
    sim.faults.remove("third");
    sim.faults.add({ verdict: mark });
    sim.reset();
    expect(sim.faults.list().map(({ id, seen }) => [id, seen])).toEqual([
      ["third", 0],
      ["rule-2", 0],
    ]);
    expect(marked(20, nowhere)).toEqual(before);
    sim.reset({ seed: "another" });
    expect(idsOf(sim)).toEqual(["third", "rule-2"]);
    expect(marked(20, senderOf(sim).nowhere)).not.toEqual(before);
  });

  test("restarts times to live", () => {
    const sim = createSimulator({ faults: [{ id: "r", verdict: mark, ttl: "1m" }] });
    sim.clock.advance("1h");
    expect(idsOf(sim)).toEqual([]);
    sim.reset();
    expect(sim.faults.get("r").expires).toBe("2026-01-15T00:01:00.000Z");
  });

  test("makes removers from before it do nothing", () => {
    const sim = createSimulator();
    const stop = sim.faults.add({ verdict: mark });
    sim.reset();
    expect(stop()).toBe(false);
    sim.faults.add({ verdict: mark });
    expect(idsOf(sim)).toEqual(["rule-1"]);
    expect(stop()).toBe(false);
    expect(idsOf(sim)).toEqual(["rule-1"]);
  });
});

describe("assume", () => {
  test("keeps rules, their counts and their removers", () => {
    const sim = createSimulator();
    const stop = sim.faults.add(every3);
    const { nowhere } = senderOf(sim);
    expect(marked(2, nowhere)).toEqual([]);
    sim.assume({ "dedup.repeat": "conflict" });
    expect(marked(4, nowhere)).toEqual([1, 4]);
    expect(stop()).toBe(true);
    expect(idsOf(sim)).toEqual([]);
  });
});

describe("a snapshot", () => {
  const rules: readonly FaultRule[] = [
    {
      id: "times",
      match: { times: 4, operation: ["stats", "surfaces"] },
      verdict: { kind: "drop" },
    },
    { id: "half", match: { share: 0.5, until: "2027-01-01" }, verdict: mark },
    every3,
    {
      id: "body",
      match: { repeat: { for: "1s", every: "1m" }, per: "world" },
      verdict: {
        kind: "respond",
        status: 500,
        headers: { "X-A": "" },
        body: { __proto__: 1, a: [null] },
      },
      ttl: "1h",
    },
  ];

  test("continues with the same rules, counts and draws", () => {
    const sim = createSimulator({ faults: rules, seed: "saved" });
    const { nowhere, stats } = senderOf(sim);
    stats();
    marked(10, nowhere);
    sim.clock.advance("1m");
    const saved: Snapshot = JSON.parse(JSON.stringify(sim.snapshot()));
    const listed = sim.faults.list();
    const next = (): unknown[] => [...marked(20, nowhere), stats().status, sim.faults.list()];
    const expected = next();
    sim.faults.clear();
    sim.restore(saved);
    expect(sim.faults.list()).toEqual(listed);
    expect(next()).toEqual(expected);

    const other = createSimulator({ faults: [{ verdict: { kind: "reset" } }] });
    other.restore(saved);
    expect(other.faults.list()).toEqual(listed);
    expect(other.snapshot()).toEqual(saved);
    // Numbering continues as it would have.
    other.faults.add({ verdict: mark });
    expect(idsOf(other).at(-1)).toBe("rule-5");
    other.reset();
    expect(idsOf(other)).toEqual(["rule-1"]);
  });

  test("makes removers from before its restore do nothing", () => {
    const sim = createSimulator();
    const stop = sim.faults.add(every3);
    sim.restore(sim.snapshot());
    expect(stop()).toBe(false);
    expect(idsOf(sim)).toEqual(["third"]);
  });

  test("can't hold a function: the error names the rule, and the world is unaffected", () => {
    const sim = createSimulator({ faults: [every3] });
    const stop = sim.faults.add(() => undefined);
    expect(() => sim.snapshot()).toThrow(InputError);
    expect(() => sim.snapshot()).toThrow(/^faults\.rule-2 is a function/);
    stop();
    expect(sim.snapshot().faults.rules.length).toBe(1);
  });
});

describe("a fork", () => {
  test("continues with the same rules, functions included, and its own counts", () => {
    const sim = createSimulator({ faults: [every3] });
    const stop = sim.faults.add(({ number }) => (number === 4 ? { kind: "drop" } : undefined));
    const { nowhere } = senderOf(sim);
    nowhere();
    const fork = sim.fork();
    expect(fork.faults.list()).toEqual(sim.faults.list());
    const forked = senderOf(fork);
    expect([2, 3, 4].map(() => forked.nowhere().status)).toEqual([404, 599, 0]);
    expect(sim.faults.get("third").seen).toBe(1);
    stop();
    expect([idsOf(sim), idsOf(fork)]).toEqual([["third"], ["third", "rule-2"]]);
    fork.faults.add({ verdict: mark });
    expect(idsOf(fork)).toEqual(["third", "rule-2", "rule-3"]);
    expect(idsOf(sim)).toEqual(["third"]);
    fork.reset();
    expect(idsOf(fork)).toEqual(["third"]);
  });
});

test("worlds made from the same options don't share counts", () => {
  const options = { faults: [every3], publishers: 2 };
  const host = {
    people: () => {
      throw new Error("needed by nobody here");
    },
  };
  const [one, two] = [0, 1].map(() => createSimulatorCore(options, host));
  one?.handle({ method: "GET", path: "/" });
  expect([one, two].map((core) => core?.faults.get("third").seen)).toEqual([1, 0]);
});

test("windows and times to live follow the world's own clock after it is set", () => {
  const match: FaultMatch = { from: "2026-02-01", until: "2026-02-02" };
  const sim = createSimulator({ faults: [{ match, verdict: mark }] });
  const { nowhere } = senderOf(sim);
  expect(nowhere().status).toBe(404);
  sim.clock.set({ nowMs: Date.UTC(2026, 1, 1, 12) });
  expect(nowhere().status).toBe(599);
});

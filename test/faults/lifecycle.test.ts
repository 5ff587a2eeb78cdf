/** The life of rules: added, listed, removed, expired, saved, forked, and reset to the options. */

import { describe, expect, test } from "vitest";
import { createSimulator, type FaultRule, InputError, type Simulator } from "../../src/index.ts";
import { mark, marked, senderOf } from "../operation-sender.ts";

const idsOf = (sim: Pick<Simulator, "faults">): string[] => sim.faults.list().map(({ id }) => id);

const every3: FaultRule = { id: "third", match: { every: 3 }, verdict: mark };

describe("adding", () => {
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

  test("copies the rule: later changes by the caller have no effect, and it isn't changed", () => {
    const headers = { "X-A": "1" };
    const verdict = { kind: "respond" as const, status: 500, headers, body: { list: [1] } };
    const rule = { id: "r", match: { nth: [1, 3] }, verdict, ttl: undefined };
    const before = structuredClone(rule);
    const sim = createSimulator({ faults: [rule] });
    sim.faults.add({ ...rule, id: "second" });
    expect(rule).toEqual(before);
    rule.match.nth.push(2);
    headers["X-A"] = "2";
    verdict.body.list.push(2);
    verdict.status = 501;
    for (const installed of sim.faults.list()) {
      expect(installed).toMatchObject({ match: before.match, verdict: before.verdict });
    }
    const answer = { status: 500, headers: { "x-a": "1" }, body: '{"list":[1]}' };
    expect(senderOf(sim).nowhere()).toMatchObject(answer);
  });
});

describe("listing", () => {
  test("shows rules as they were added, with their counts", () => {
    const sim = createSimulator({ start: "2026-03-01T00:00:00Z" });
    const rule = { id: "r", match: { every: 2 }, verdict: { kind: "delay", delay: "1s" } } as const;
    sim.faults.add({ ...rule, ttl: "1h" });
    sim.faults.add(() => undefined);
    marked(5, senderOf(sim).nowhere);
    const none = { match: undefined, verdict: undefined, expires: undefined };
    expect(sim.faults.list()).toEqual([
      { ...rule, expires: "2026-03-01T01:00:00.000Z", seen: 5, fired: 2 },
      { id: "rule-2", ...none, seen: 5, fired: 0 },
    ]);
    expect(sim.faults.get("r")).toEqual(sim.faults.list()[0]);
  });

  test("refuses an unknown id", () => {
    const unknown = { name: "InputError", reason: "not-found", field: "id" };
    expect(() => createSimulator().faults.get("rule-1")).toThrow(expect.objectContaining(unknown));
  });
});

describe("a time to live", () => {
  test("ends to the millisecond on the world's clock, and leaves nothing of its rule behind", () => {
    const sim = createSimulator();
    const before = sim.snapshot().faults.rules;
    const { nowhere } = senderOf(sim);
    const stop = sim.faults.add({ id: "r", verdict: mark, ttl: "1m" });
    sim.clock.advance(59_999);
    expect([nowhere().status, idsOf(sim)]).toEqual([599, ["r"]]);
    sim.clock.advance(1);
    expect(sim.snapshot().faults.rules).toEqual(before);
    expect([nowhere().status, idsOf(sim)]).toEqual([404, []]);
    expect(() => sim.faults.get("r")).toThrow(InputError);
    expect([stop(), sim.faults.remove("r")]).toEqual([false, false]);
    sim.faults.add({ id: "r", verdict: mark });
    expect(idsOf(sim)).toEqual(["r"]);
  });

  test("has no end if that would be after the year 9999", () => {
    const sim = createSimulator({ start: "9999-12-31T00:00:00Z" });
    for (const ttl of [Number.MAX_SAFE_INTEGER, "30d"]) sim.faults.add({ verdict: mark, ttl });
    expect(sim.faults.list().map(({ expires }) => expires)).toEqual([undefined, undefined]);
    const saved = sim.snapshot();
    sim.restore(JSON.parse(JSON.stringify(saved)));
    expect(sim.snapshot()).toEqual(saved);
  });
});

describe("removing", () => {
  test("by id or by the function that adding returned says whether the rule existed", () => {
    const sim = createSimulator();
    const stop = sim.faults.add({ id: "r", match: { nth: 2 }, verdict: mark });
    const { nowhere } = senderOf(sim);
    nowhere();
    expect([sim.faults.remove("r"), sim.faults.remove("r"), stop()]).toEqual([true, false, false]);
    // Its counts are forgotten.
    const again = sim.faults.add({ id: "r", match: { nth: 2 }, verdict: mark });
    expect(marked(3, nowhere)).toEqual([2]);
    expect([again(), again(), idsOf(sim)]).toEqual([true, false, []]);
  });

  test("all rules leaves none", () => {
    const sim = createSimulator({ faults: [{ verdict: mark }, () => mark] });
    sim.faults.clear();
    expect([idsOf(sim), senderOf(sim).nowhere().status]).toEqual([[], 404]);
  });

  test.each<[what: string, replace: (sim: Simulator) => void]>([
    ["a reset", (sim) => sim.reset()],
    ["a restored snapshot", (sim) => sim.restore(sim.snapshot())],
  ])("by a function from before %s does nothing", (_, replace) => {
    const sim = createSimulator();
    const stop = sim.faults.add({ verdict: mark });
    replace(sim);
    expect(stop()).toBe(false);
    sim.faults.clear();
    sim.faults.add({ id: "rule-1", verdict: mark });
    expect(stop()).toBe(false);
    expect(idsOf(sim)).toEqual(["rule-1"]);
  });
});

describe("reset", () => {
  test("restores the options' rules without counts, and with the same draws", () => {
    const half: FaultRule = { match: { share: 0.5 }, verdict: mark };
    const sim = createSimulator({ faults: [{ ...every3, ttl: "1m" }, half] });
    const before = marked(20, senderOf(sim).nowhere);
    sim.clock.advance("1h");
    sim.faults.add({ verdict: mark });
    sim.reset();
    expect(sim.faults.list().map(({ id, seen, expires }) => [id, seen, expires])).toEqual([
      ["third", 0, "2026-01-15T00:01:00.000Z"],
      ["rule-2", 0, undefined],
    ]);
    expect(marked(20, senderOf(sim).nowhere)).toEqual(before);
    sim.reset({ seed: "another" });
    expect(idsOf(sim)).toEqual(["third", "rule-2"]);
    expect(marked(20, senderOf(sim).nowhere)).not.toEqual(before);
  });
});

describe("rules, their counts and their draws go on", () => {
  const body = { __proto__: 1, a: [null] };
  const answer = { kind: "respond", status: 500, headers: { "X-A": "" }, body } as const;
  const faults: readonly FaultRule[] = [
    { id: "times", match: { times: 4, operation: ["stats"] }, verdict: { kind: "drop" } },
    { match: { share: 0.5, until: "2027-01-01" }, verdict: mark },
    every3,
    { match: { repeat: { for: "1s", every: "1m" }, per: "world" }, verdict: answer, ttl: "1h" },
  ];
  const options = { faults, seed: "saved" };
  const saved = (sim: Simulator) => JSON.parse(JSON.stringify(sim.snapshot()));

  test.each<[what: string, through: (sim: Simulator) => Simulator]>([
    ["a snapshot", (sim) => withState(sim, saved(sim))],
    ["another simulator", (sim) => withState(createSimulator({ faults: [every3] }), saved(sim))],
    ["a fork", (sim) => sim.fork()],
    ["assume", assumed],
  ])("through %s", (_, through) => {
    const [plain, led] = [createSimulator(options), createSimulator(options)];
    for (const sim of [plain, led]) {
      senderOf(sim).stats();
      marked(10, senderOf(sim).nowhere);
      sim.clock.advance("1m");
    }
    const next = (sim: Simulator): unknown[] => [
      sim.faults.list(),
      ...marked(20, senderOf(sim).nowhere),
      senderOf(sim).stats().status,
      sim.faults.add({ verdict: mark }).rule.id,
      sim.faults.list(),
    ];
    expect(next(through(led))).toEqual(next(plain));
  });

  function assumed(sim: Simulator): Simulator {
    sim.assume({ "dedup.repeat": "conflict" });
    return sim;
  }

  function withState(sim: Simulator, state: ReturnType<Simulator["snapshot"]>): Simulator {
    sim.faults.clear();
    sim.restore(state);
    return sim;
  }
});

test("a snapshot can't hold a function: the error names the rule", () => {
  const sim = createSimulator({ faults: [every3] });
  const stop = sim.faults.add(() => undefined);
  expect(() => sim.snapshot()).toThrow(InputError);
  expect(() => sim.snapshot()).toThrow(/^faults\.rule-2 is a function/);
  stop();
  expect(sim.snapshot().faults.rules.length).toBe(1);
});

test("a fork has the functions, and its own rules and counts", () => {
  const sim = createSimulator({ faults: [every3] });
  const stop = sim.faults.add(({ number }) => (number === 4 ? { kind: "drop" } : undefined));
  senderOf(sim).nowhere();
  const fork = sim.fork();
  const { nowhere } = senderOf(fork);
  expect([2, 3, 4].map(() => nowhere().status)).toEqual([404, 599, 0]);
  expect(sim.faults.get("third").seen).toBe(1);
  stop();
  expect([idsOf(sim), idsOf(fork)]).toEqual([["third"], ["third", "rule-2"]]);
  fork.reset();
  expect(idsOf(fork)).toEqual(["third"]);
});

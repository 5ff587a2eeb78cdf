/** A rule's random draws: whether it fires, its delay, its noise. They depend on seed, rule, publisher and number. */

import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type ApiResponse,
  createSimulator,
  type Delay,
  type FaultRule,
  type Simulator,
  type SimulatorOptions,
} from "../../src/index.ts";
import { runsOf } from "../budget.ts";
import { mark, marked, senderOf } from "../operation-sender.ts";
import { checkProperty } from "../properties/check-property.ts";

const half: FaultRule = { id: "half", match: { share: 0.5 }, verdict: mark };

function placesOf(rule: FaultRule, options: SimulatorOptions = {}, ordinal = 0): number[] {
  const sim = createSimulator({ faults: [rule], ...options });
  return marked(200, senderOf(sim, sim.publishers.at(ordinal)).nowhere);
}

/** Expects a share of `count` within six standard deviations of a binomial. */
function expectShare(often: number, share: number, count: number, what: string): void {
  const allowed = 6 * Math.sqrt(count * share * (1 - share));
  expect(Math.abs(often - count * share), what).toBeLessThan(allowed);
}

describe("share", () => {
  test.each([0.001, 0.05, 0.5, 0.9])("%d fires as often as it says, within chance", (share) => {
    const count = runsOf(20_000);
    const sim = createSimulator({ faults: [{ id: `s${share}`, match: { share }, verdict: mark }] });
    expectShare(marked(count, senderOf(sim).nowhere).length, share, count, `${share}`);
  });

  test("never fires at 0, always at 1, and at a larger share wherever at a smaller one", () => {
    const of = (share: number) => placesOf({ id: "s", match: { share }, verdict: mark });
    expect([of(0).length, of(1).length]).toEqual([0, 200]);
    expect(of(0.6)).toEqual(expect.arrayContaining(of(0.3)));
  });

  test("depends only on the seed, the rule's id and the publisher", () => {
    const places = placesOf(half);
    expect(placesOf({ ...half, verdict: { ...mark, delay: { from: 1, to: 9 } } })).toEqual(places);
    expect(placesOf(half, { start: "2030-01-01", publishers: 3 })).toEqual(places);
    expect(placesOf(half, { assumptions: { "ids.format": "uuid" } })).toEqual(places);
    expect(placesOf(half, { seed: "another" })).not.toEqual(places);
    expect(placesOf({ ...half, id: "other" })).not.toEqual(places);
    expect(placesOf(half, {}, 1)).not.toEqual(places);
    expect(placesOf({ ...half, match: { share: 0.5, per: "world" } })).not.toEqual(places);
  });
});

/** The delays of so many requests, in milliseconds; 0 for those that the rule leaves. */
function delaysOf(delay: Delay, count: number, match: FaultRule["match"] = {}): number[] {
  const faults: FaultRule[] = [{ id: "slow", match, verdict: { kind: "delay", delay } }];
  const { nowhere } = senderOf(createSimulator({ faults, journalEntries: 0 }));
  return Array.from({ length: count }, () => nowhere().delivery?.delayMs ?? 0);
}

describe("delay", () => {
  test.each<[delay: Delay, ms: number]>([
    [0, 0],
    ["250ms", 250],
    ["1h", 3_600_000],
    [{ from: 7, to: 7 }, 7],
    [{ from: "1s", to: "1s", shape: "long-tailed" }, 1000],
  ])("%o is always %i ms", (delay, ms) => {
    expect(new Set(delaysOf(delay, 50))).toEqual(new Set([ms]));
  });

  test("is drawn evenly from a range, both ends included", () => {
    const drawn = delaysOf({ from: 10, to: 15 }, 2000);
    for (let ms = 10; ms <= 15; ms += 1) {
      expectShare(drawn.filter((each) => each === ms).length, 1 / 6, 2000, `${ms}`);
    }
    expect(drawn.every((ms) => ms >= 10 && ms <= 15)).toBe(true);
  });

  const count = runsOf(40_000);
  const drawn = delaysOf({ from: 10, to: "1s", shape: "long-tailed" }, count);

  // The seventh doubling goes from 640 to 1279; values above the maximum become the maximum.
  test.each([
    [10, 20, 1 / 2],
    [10, 15, 1 / 4],
    [20, 40, 1 / 4],
    [30, 40, 1 / 8],
    [40, 80, 1 / 8],
    [80, 160, 1 / 16],
    [320, 640, 1 / 64],
    [640, 1000, (1 / 128) * (360 / 640)],
    [1000, 1001, (1 / 128) * (280 / 640) + 1 / 128],
  ])("with a long tail is from %i to below %i in a share of %d", (from, below, share) => {
    const often = drawn.filter((ms) => Number.isInteger(ms) && ms >= from && ms < below).length;
    expectShare(often, share, count, `${from} to ${below}`);
  });

  test("with a long tail is within its range", () => {
    expect([Math.min(...drawn), Math.max(...drawn)]).toEqual([10, 1000]);
  });

  test("doesn't depend on whether other requests were delayed", () => {
    const range = { from: 0, to: 1_000_000 };
    const all = delaysOf(range, 40);
    const some = all.map((ms, index) => (index % 4 === 3 ? ms : 0));
    expect(delaysOf(range, 40, { every: 4 })).toEqual(some);
    expect(new Set(all).size).toBeGreaterThan(35);
  });
});

test("noise differs from request to request, and repeats in the next run", () => {
  const run = (): string[] => {
    const faults: FaultRule[] = [{ id: "noise", verdict: { kind: "garbage" } }];
    const { nowhere } = senderOf(createSimulator({ faults }));
    return [1, 2, 3].map(() => {
      const { delivery } = nowhere();
      return delivery?.kind === "bytes" ? Buffer.from(delivery.bytes).toString("hex") : "";
    });
  };
  const [first, ...others] = run();
  expect(first).toMatch(/^ff(..){40}/);
  expect(others).not.toContain(first);
  expect(run()).toEqual([first, ...others]);
});

const tail = { from: 3, to: 500, shape: "long-tailed" } as const;
const recording = { operation: ["impression", "click"] } as const;
const plan: readonly FaultRule[] = [
  {
    id: "lost",
    match: { operation: "impression", share: 0.2 },
    verdict: { kind: "lose-response" },
  },
  { id: "twice", match: { ...recording, every: 3 }, verdict: { kind: "duplicate" } },
  { id: "cut", match: { share: 0.3 }, verdict: { kind: "truncate", share: 0.5 } },
  { id: "few", match: { times: 2, nth: [2, 5, 7] }, verdict: { kind: "drop" } },
  { id: "slow", match: { share: 0.5 }, verdict: { kind: "delay", delay: tail } },
];

/** 40 requests of one publisher. */
function session(sim: Simulator, ordinal: number): (() => ApiResponse)[] {
  const { impression, stats, click, nowhere } = senderOf(sim, sim.publishers.at(ordinal));
  return Array.from({ length: 40 }, (_, index) => {
    const steps = [() => impression(`s${index >> 3}`), stats, () => click("imp_x"), nowhere];
    return steps[index % 4] ?? stats;
  });
}

describe("a plan", () => {
  test("does the same in every run. Frozen: it may be wrong, it must not change unnoticed", () => {
    const sim = createSimulator({ seed: "frozen", faults: plan });
    const shown = session(sim, 0).map((send) => {
      const { status, body, delivery } = send();
      return [status, body, delivery?.kind, delivery?.delayMs];
    });
    const digest = createHash("sha256").update(JSON.stringify(shown)).digest("hex").slice(0, 16);
    const counts = sim.faults.list().map(({ id, seen, fired }) => `${id} ${fired}/${seen}`);
    expect(digest).toBe("caf7e58bd69d2c34");
    expect(counts).toEqual(["lost 3/10", "twice 5/20", "cut 12/40", "few 2/40", "slow 11/40"]);
  });

  const name = "A1: does the same to each publisher, however their requests are interleaved";
  test(name, () => {
    const alone = [0, 1, 2].map((ordinal) => {
      const sim = createSimulator({ faults: plan });
      return session(sim, ordinal).map((send) => JSON.stringify(send()));
    });
    expect(alone[0]).not.toEqual(alone[1]);
    checkProperty(
      { test: name, file: "test/faults/draws.test.ts", runs: 20 },
      fc.property(fc.array(fc.nat(2), { minLength: 120, maxLength: 160 }), (turns) => {
        const sim = createSimulator({ faults: plan });
        const waiting = [0, 1, 2].map((ordinal) => session(sim, ordinal));
        const got: string[][] = [[], [], []];
        for (const turn of turns) {
          const send = waiting[turn]?.shift();
          if (send !== undefined) got[turn]?.push(JSON.stringify(send()));
        }
        expect(got).toEqual(got.map(({ length }, one) => alone[one]?.slice(0, length)));
      }),
    );
  });
});

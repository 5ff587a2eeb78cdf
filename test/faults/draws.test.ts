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

describe("share", () => {
  test("fires as often as it says, within the bounds of chance", () => {
    const count = runsOf(20_000);
    for (const share of [0.001, 0.05, 0.3, 0.5, 0.9]) {
      const sim = createSimulator({
        faults: [{ id: `s${share}`, match: { share }, verdict: mark }],
      });
      const fired = marked(count, senderOf(sim).nowhere).length;
      // Six standard deviations of a binomial.
      const allowed = 6 * Math.sqrt(count * share * (1 - share));
      expect(Math.abs(fired - count * share), `${share}`).toBeLessThan(allowed);
    }
  });

  test("never fires at 0, and always at 1", () => {
    expect(placesOf({ match: { share: 0 }, verdict: mark })).toEqual([]);
    expect(placesOf({ match: { share: 1 }, verdict: mark }).length).toBe(200);
  });

  test("depends only on the seed, the rule's id and the publisher", () => {
    const places = placesOf(half);
    expect(placesOf(half)).toEqual(places);
    expect(placesOf({ ...half, verdict: { ...mark, delay: { from: 1, to: 9 } } })).toEqual(places);
    expect(placesOf(half, { start: "2030-01-01", publishers: 3 })).toEqual(places);
    expect(placesOf(half, { assumptions: { "ids.format": "uuid" } })).toEqual(places);
    expect(placesOf(half, { seed: "another" })).not.toEqual(places);
    expect(placesOf({ ...half, id: "other" })).not.toEqual(places);
    expect(placesOf(half, {}, 1)).not.toEqual(places);
    expect(placesOf({ ...half, match: { share: 0.5, per: "world" } })).not.toEqual(places);
  });

  test("fires, if it is larger, at every request at which a smaller one fires", () => {
    const of = (share: number) => placesOf({ id: "s", match: { share }, verdict: mark });
    expect(of(0.6)).toEqual(expect.arrayContaining(of(0.3)));
  });
});

/** The delays of the first `requests` requests, in milliseconds. */
function delaysOf(delay: Delay, count: number): number[] {
  const verdict = { kind: "delay", delay } as const;
  const sim = createSimulator({ faults: [{ id: "slow", verdict }], journalEntries: 0 });
  const { nowhere } = senderOf(sim);
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
    const count = 6000;
    const drawn = delaysOf({ from: 10, to: 15 }, count);
    for (let ms = 10; ms <= 15; ms += 1) {
      const often = drawn.filter((each) => each === ms).length;
      // Six standard deviations of a binomial with a sixth.
      expect(Math.abs(often - count / 6), `${ms}`).toBeLessThan(6 * Math.sqrt((count * 5) / 36));
    }
    expect(drawn.every((ms) => ms >= 10 && ms <= 15)).toBe(true);
  });

  test("with a long tail halves in frequency with each doubling, evenly within it, and ends at the maximum", () => {
    const count = runsOf(40_000);
    const drawn = delaysOf({ from: 10, to: "1s", shape: "long-tailed" }, count);
    expect(drawn.every((ms) => Number.isInteger(ms) && ms >= 10 && ms <= 1000)).toBe(true);
    const share = (from: number, below: number): number =>
      drawn.filter((ms) => ms >= from && ms < below).length / count;
    const bounds: [from: number, below: number, expected: number][] = [
      [10, 20, 1 / 2],
      [10, 15, 1 / 4],
      [20, 40, 1 / 4],
      [30, 40, 1 / 8],
      [40, 80, 1 / 8],
      [80, 160, 1 / 16],
      [160, 320, 1 / 32],
      [320, 640, 1 / 64],
      // The seventh doubling goes from 640 to 1279; values above the maximum become the maximum.
      [640, 1000, (1 / 128) * (360 / 640)],
      [1000, 1001, (1 / 128) * (280 / 640) + 1 / 128],
    ];
    for (const [from, below, expected] of bounds) {
      const allowed = 6 * Math.sqrt((expected * (1 - expected)) / count);
      expect(Math.abs(share(from, below) - expected), `${from} to ${below}`).toBeLessThan(allowed);
    }
    expect(drawn).toContain(10);
    expect(drawn).toContain(19);
  });

  test("doesn't depend on whether other requests were delayed", () => {
    const verdict = { kind: "delay", delay: { from: 0, to: 1_000_000 } } as const;
    const delaysWith = (faults: readonly FaultRule[]): number[] => {
      const { nowhere } = senderOf(createSimulator({ faults }));
      return Array.from({ length: 40 }, () => nowhere().delivery?.delayMs ?? 0);
    };
    const all = delaysWith([{ id: "slow", verdict }]);
    const some = delaysWith([{ id: "slow", match: { every: 4 }, verdict }]);
    expect(some).toEqual(all.map((ms, index) => (index % 4 === 3 ? ms : 0)));
    expect(new Set(all).size).toBeGreaterThan(35);
  });
});

describe("noise", () => {
  test("differs from request to request, and repeats in the next run", () => {
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
});

/** The outcomes of requests, in order. */
function digestOf(responses: readonly ApiResponse[]): string {
  const shown = responses.map(({ status, body, delivery }) => [
    status,
    body,
    delivery?.kind,
    delivery?.delayMs,
  ]);
  return createHash("sha256").update(JSON.stringify(shown)).digest("hex").slice(0, 16);
}

const plan: readonly FaultRule[] = [
  {
    id: "lost",
    match: { operation: "impression", share: 0.2 },
    verdict: { kind: "lose-response" },
  },
  {
    id: "twice",
    match: { operation: ["impression", "click"], every: 3 },
    verdict: { kind: "duplicate" },
  },
  { id: "cut", match: { share: 0.3 }, verdict: { kind: "truncate", share: 0.5 } },
  { id: "few", match: { times: 2, nth: [2, 5, 7] }, verdict: { kind: "drop" } },
  {
    id: "slow",
    match: { share: 0.5 },
    verdict: { kind: "delay", delay: { from: 3, to: 500, shape: "long-tailed" } },
  },
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
    expect(digestOf(session(sim, 0).map((send) => send()))).toMatchInlineSnapshot(
      `"caf7e58bd69d2c34"`,
    );
    expect(
      sim.faults.list().map(({ id, seen, fired }) => `${id} ${fired}/${seen}`),
    ).toMatchInlineSnapshot(`
      [
        "lost 3/10",
        "twice 5/20",
        "cut 12/40",
        "few 2/40",
        "slow 11/40",
      ]
    `);
  });

  test("R6: changes no answer, book or journal entry if it never fires", () => {
    const idle: FaultRule[] = [
      { match: { share: 0 }, verdict: mark },
      { match: { nth: 1000 }, verdict: { kind: "drop" } },
      { match: { surface: "srf_x" }, verdict: { kind: "duplicate" } },
    ];
    const [plain, ruled] = [createSimulator(), createSimulator({ faults: idle })];
    ruled.faults.add(() => undefined);
    for (const sim of [plain, ruled]) for (const send of session(sim, 0)) send();
    expect(ruled.journal.entries()).toEqual(plain.journal.entries());
    ruled.faults.clear();
    const { digest: _, faults: __, ...state } = ruled.snapshot();
    expect(plain.snapshot()).toMatchObject(state);
  });

  test("A1: does the same to each publisher, however their requests are interleaved", () => {
    const alone = [0, 1, 2].map((ordinal) => {
      const sim = createSimulator({ faults: plan });
      return session(sim, ordinal).map((send) => JSON.stringify(send()));
    });
    expect(alone[0]).not.toEqual(alone[1]);
    checkProperty(
      {
        test: "A1: does the same to each publisher, however their requests are interleaved",
        file: "test/faults/draws.test.ts",
        runs: 20,
      },
      fc.property(fc.array(fc.nat(2), { minLength: 120, maxLength: 160 }), (turns) => {
        const sim = createSimulator({ faults: plan });
        const waiting = [0, 1, 2].map((ordinal) => session(sim, ordinal));
        const got: string[][] = [[], [], []];
        for (const turn of turns) {
          const send = waiting[turn]?.shift();
          if (send !== undefined) got[turn]?.push(JSON.stringify(send()));
        }
        for (const [ordinal, answers] of got.entries()) {
          expect(answers).toEqual(alone[ordinal]?.slice(0, answers.length));
        }
      }),
    );
  });
});

/** Every algorithm against the oracle's counter, at any rate and time: admissions, remaining quota, and waits. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { LimitAlgorithm, Rate } from "../../../src/world/limits/algorithm.ts";
import { fixedWindow } from "../../../src/world/limits/fixed-window.ts";
import { slidingLog } from "../../../src/world/limits/sliding-log.ts";
import { tokenBucket } from "../../../src/world/limits/token-bucket.ts";
import { type Algorithm, counterOf } from "../../oracle/quotas.ts";
import { algorithmNames } from "./algorithm-names.ts";

const algorithms: Readonly<Record<Algorithm, LimitAlgorithm<object>>> = {
  "fixed-window": fixedWindow,
  "sliding-log": slidingLog,
  "token-bucket": tokenBucket,
};

/** The remaining quota at an instant, after these admissions. */
function roomIn(
  name: Algorithm,
  admitted: readonly number[],
  { requests, windowMs }: Rate,
  atMs: number,
): number {
  const counter = counterOf(name, requests, windowMs);
  for (const instant of admitted) counter.spend(instant);
  return counter.room(atMs);
}

/** The least wait, from 0 on, after which `holds` is true. */
function leastWait(holds: (waitMs: number) => boolean): number {
  let waitMs = 0;
  while (!holds(waitMs)) waitMs += 1;
  return waitMs;
}

/** The window is a multiple of the requests, because the token bucket needs that; the others don't. */
function rateFor(name: Algorithm): fc.Arbitrary<Rate> {
  const requests = fc.integer({ min: 1, max: 7 });
  return fc
    .record({ requests, size: fc.integer({ min: 1, max: 40 }) })
    .map(({ requests: most, size }) => ({
      requests: most,
      windowMs: name === "token-bucket" ? most * Math.ceil(size / 6) : size,
    }));
}

/** The time since the previous request, and what happens to this one if it is admitted. */
const steps = fc.array(
  fc.record({
    afterMs: fc.oneof(fc.constant(0), fc.nat(5), fc.nat(60)),
    fate: fc.constantFrom("kept", "kept", "kept", "saved and loaded"),
  }),
  { maxLength: 40 },
);

describe.each(algorithmNames)("%s", (name) => {
  const algorithm = algorithms[name];

  test("admits, counts and waits as the oracle's counter does, also after a reload", () => {
    const reached = { refused: 0, admitted: 0, loaded: 0 };
    fc.assert(
      fc.property(rateFor(name), fc.nat(100), steps, (rate, startMs, sent) => {
        let bucket = algorithm.fresh();
        const kept: number[] = [];
        let nowMs = startMs;
        const left = (laterMs = 0): number => roomIn(name, kept, rate, nowMs + laterMs);
        for (const { afterMs, fate } of sent) {
          nowMs += afterMs;
          const before = left();
          expect(algorithm.remaining(bucket, rate, nowMs)).toBe(before);
          const saved = JSON.stringify(algorithm.save(bucket, rate, nowMs));
          const decision = algorithm.admit(bucket, rate, nowMs);
          if (before === 0) {
            reached.refused += 1;
            const retryAfterMs = leastWait((waitMs) => left(waitMs) > 0);
            expect(decision).toEqual({ admitted: false, remaining: 0, retryAfterMs });
            expect(JSON.stringify(algorithm.save(bucket, rate, nowMs))).toBe(saved);
            continue;
          }
          reached.admitted += 1;
          expect(decision).toEqual({ admitted: true, remaining: before - 1, retryAfterMs: 0 });
          kept.push(nowMs);
          if (fate === "saved and loaded") {
            reached.loaded += 1;
            const text = JSON.stringify(algorithm.save(bucket, rate, nowMs));
            const loaded = algorithm.load(JSON.parse(text));
            expect(JSON.stringify(algorithm.save(loaded, rate, nowMs))).toBe(text);
            bucket = loaded;
          }
        }
      }),
      { seed: 1, numRuns: 400 },
    );
    expect(Math.min(...Object.values(reached))).toBeGreaterThan(100);
  });

  test("at the documented rates the wait of a refused request is exact: a millisecond less isn't enough", () => {
    const full = fc.record({
      requests: fc.constantFrom(60, 10_000),
      startMs: fc.integer({ min: 0, max: 253_402_300_000_000 }),
      gapsMs: fc.array(fc.nat(70_000), { minLength: 1, maxLength: 6 }),
    });
    fc.assert(
      fc.property(full, ({ requests, startMs, gapsMs }) => {
        const rate = { requests, windowMs: 60_000 };
        const bucket = algorithm.fresh();
        let nowMs = startMs;
        for (const gapMs of gapsMs) {
          nowMs += gapMs;
          // A part of the remaining quota, and finally all of it.
          const some = Math.ceil(algorithm.remaining(bucket, rate, nowMs) / 2);
          for (let sent = 0; sent < some; sent += 1) algorithm.admit(bucket, rate, nowMs);
        }
        let refused = algorithm.admit(bucket, rate, nowMs);
        while (refused.admitted) refused = algorithm.admit(bucket, rate, nowMs);
        const { retryAfterMs } = refused;
        expect(Number.isSafeInteger(retryAfterMs) && retryAfterMs > 0).toBe(true);
        // A refused request leaves the bucket as it is.
        expect(algorithm.admit(bucket, rate, nowMs + retryAfterMs - 1).admitted).toBe(false);
        expect(algorithm.admit(bucket, rate, nowMs + retryAfterMs).admitted).toBe(true);
      }),
      { seed: 1, numRuns: 60 },
    );
  });
});

test("no two algorithms admit the same of these requests", () => {
  const rate = { requests: 4, windowMs: 20 };
  const arrivals = Array.from(
    { length: 60 },
    (_, index) => 7 + index * 3 + ((index * 7) % 11),
  ).sort((left, right) => left - right);
  const answers = algorithmNames.map((name) => {
    const admitted: number[] = [];
    for (const nowMs of arrivals) if (roomIn(name, admitted, rate, nowMs) > 0) admitted.push(nowMs);
    return admitted.join();
  });
  expect(new Set(answers).size).toBe(answers.length);
});

const minute = { requests: 10_000, windowMs: 60_000 };

test("a sliding log drops entries outside the window, and has one entry for each millisecond", () => {
  const bucket = slidingLog.fresh();
  for (let nowMs = 0; nowMs < 200_000; nowMs += 7) slidingLog.admit(bucket, minute, nowMs);
  const inWindow = Math.ceil(60_000 / 7);
  expect(bucket.total).toBe(inWindow);
  expect(bucket.times.length).toBeLessThanOrEqual(2 * inWindow + 1);
  expect(slidingLog.save(bucket, minute, 200_000).log.length).toBeLessThanOrEqual(inWindow);
  const burst = slidingLog.fresh();
  for (let sent = 0; sent < 20_000; sent += 1) slidingLog.admit(burst, minute, 5);
  expect(burst).toEqual({ times: [5], counts: [10_000], head: 0, total: 10_000 });
});

test("L3: in any interval a token bucket admits at most the burst and what was refilled", () => {
  const rate = { requests: 60, windowMs: 60_000 };
  const arrivals = fc.array(fc.nat(1500), { minLength: 100, maxLength: 300 });
  fc.assert(
    fc.property(arrivals, (gapsMs) => {
      const bucket = tokenBucket.fresh();
      const admitted: number[] = [];
      let nowMs = 0;
      for (const [index, gapMs] of gapsMs.entries()) {
        // The first half arrives at once, so that the bucket runs dry.
        nowMs += index < gapsMs.length / 2 ? gapMs % 3 : gapMs;
        if (tokenBucket.admit(bucket, rate, nowMs).admitted) admitted.push(nowMs);
      }
      const tooMany = admitted.flatMap((fromMs, first) =>
        admitted
          .slice(first)
          .filter((toMs, more) => more + 1 > 60 + Math.floor((toMs - fromMs) / 1000)),
      );
      expect(tooMany).toEqual([]);
    }),
    { seed: 1, numRuns: 20 },
  );
});

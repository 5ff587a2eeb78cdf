/** Every algorithm against the oracle's counter, at any rate and time: admissions, remaining quota, and waits. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { resolveAssumptions } from "../../../src/spec/assumptions/resolve.ts";
import {
  type Algorithm,
  algorithmOf,
  algorithms,
  type Bucket,
  type Rate,
} from "../../../src/world/limits/algorithms.ts";
import { type Algorithm as AlgorithmName, counterOf } from "../../oracle/quotas.ts";
import { algorithmNames } from "./algorithm-names.ts";

/** Counts a request if one remains. @returns whether it was admitted. */
function admit(algorithm: Algorithm<Bucket>, bucket: Bucket, rate: Rate, nowMs: number): boolean {
  const remains = algorithm.remaining(bucket, rate, nowMs) > 0;
  expect(algorithm.waitMs(bucket, rate, nowMs) === 0).toBe(remains);
  if (remains) algorithm.spend(bucket, rate, nowMs);
  return remains;
}

/** The remaining quota at an instant, after these admissions. */
function roomIn(
  name: AlgorithmName,
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
function rateFor(name: AlgorithmName): fc.Arbitrary<Rate> {
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
  const algorithm = algorithmOf(resolveAssumptions({ "limit.algorithm": name }));

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
          const waitMs = leastWait((later) => left(later) > 0);
          expect(algorithm.waitMs(bucket, rate, nowMs)).toBe(waitMs);
          if (before === 0) {
            reached.refused += 1;
            continue;
          }
          reached.admitted += 1;
          algorithm.spend(bucket, rate, nowMs);
          kept.push(nowMs);
          expect(algorithm.remaining(bucket, rate, nowMs)).toBe(before - 1);
          if (fate === "saved and loaded") {
            reached.loaded += 1;
            bucket = JSON.parse(JSON.stringify(bucket));
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
          for (let sent = 0; sent < some; sent += 1) algorithm.spend(bucket, rate, nowMs);
        }
        while (admit(algorithm, bucket, rate, nowMs));
        const waitMs = algorithm.waitMs(bucket, rate, nowMs);
        expect(Number.isSafeInteger(waitMs) && waitMs > 0).toBe(true);
        expect(admit(algorithm, bucket, rate, nowMs + waitMs - 1)).toBe(false);
        expect(admit(algorithm, bucket, rate, nowMs + waitMs)).toBe(true);
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

test("a sliding log drops what has left the window", () => {
  const { fresh, spend } = algorithms["sliding-log"];
  const bucket = fresh();
  for (let nowMs = 0; nowMs < 200_000; nowMs += 7) spend(bucket, minute, nowMs);
  expect(bucket.times.length).toBe(Math.ceil(60_000 / 7));
});

test("L3: in any interval a token bucket admits at most the burst and what was refilled", () => {
  const rate = { requests: 60, windowMs: 60_000 };
  const tokenBucket = algorithmOf(resolveAssumptions({ "limit.algorithm": "token-bucket" }));
  const arrivals = fc.array(fc.nat(1500), { minLength: 100, maxLength: 300 });
  fc.assert(
    fc.property(arrivals, (gapsMs) => {
      const bucket = tokenBucket.fresh();
      const admitted: number[] = [];
      let nowMs = 0;
      for (const [index, gapMs] of gapsMs.entries()) {
        // The first half arrives at once, so that the bucket runs dry.
        nowMs += index < gapsMs.length / 2 ? gapMs % 3 : gapMs;
        if (admit(tokenBucket, bucket, rate, nowMs)) admitted.push(nowMs);
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

/** The wait until a request is admitted is exact, of which Retry-After shows whole seconds. `test/properties` shows the rest. */

import { expect, test } from "vitest";
import { resolveAssumptions } from "../../../src/spec/assumptions/resolve.ts";
import { algorithmOf } from "../../../src/world/limits/algorithms.ts";

test.each(["fixed-window", "sliding-log", "token-bucket"] as const)("%s", (name) => {
  const algorithm = algorithmOf(resolveAssumptions({ "limit.algorithm": name }));
  const rate = { requests: 60, windowMs: 60_000 };
  const bucket = algorithm.fresh();
  let nowMs = 12_345;
  for (const gapMs of [0, 1, 999, 20_000, 35_000, 59_999, 60_000]) {
    nowMs += gapMs;
    while (algorithm.remaining(bucket, rate, nowMs) > 0) algorithm.spend(bucket, rate, nowMs);
    const waitMs = algorithm.waitMs(bucket, rate, nowMs);
    expect(algorithm.remaining(bucket, rate, nowMs + waitMs - 1)).toBe(0);
    expect(algorithm.remaining(bucket, rate, nowMs + waitMs)).toBeGreaterThan(0);
  }
});

/** The fixed window by itself, for any rate and any times. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { fixedWindow } from "../../../src/world/limits/fixed-window.ts";

const rate = fc.record({
  requests: fc.integer({ min: 1, max: 5 }),
  windowMs: fc.integer({ min: 1, max: 1000 }),
});

test("admits exactly the first of each window, says what is left, and how long to wait", () => {
  fc.assert(
    fc.property(rate, fc.array(fc.nat(300), { maxLength: 80 }), (of, steps) => {
      const bucket = fixedWindow.fresh();
      const arrivals = new Map<number, number>();
      let nowMs = 0;
      for (const step of steps) {
        nowMs += step;
        const window = Math.floor(nowMs / of.windowMs);
        const before = arrivals.get(window) ?? 0;
        arrivals.set(window, before + 1);
        expect(fixedWindow.remaining(bucket, of, nowMs)).toBe(Math.max(0, of.requests - before));
        const decision = fixedWindow.admit(bucket, of, nowMs);
        const admitted = before < of.requests;
        expect(decision).toEqual({
          admitted,
          remaining: Math.max(0, of.requests - before - 1),
          retryAfterMs: admitted ? 0 : (window + 1) * of.windowMs - nowMs,
        });
        const copy = { ...bucket };
        if (!admitted)
          expect(fixedWindow.admit(copy, of, nowMs + decision.retryAfterMs).admitted).toBe(true);
      }
    }),
    { seed: 1, numRuns: 500 },
  );
});

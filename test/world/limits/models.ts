/** Every algorithm once more, as slowly and plainly as it can be said: from the list of what was admitted, nothing kept. */

import type { Choice } from "../../../src/spec/assumptions/catalogue.ts";
import type { LimitAlgorithm, Rate } from "../../../src/world/limits/algorithm.ts";
import { fixedFromFirst } from "../../../src/world/limits/fixed-from-first.ts";
import { fixedWindow } from "../../../src/world/limits/fixed-window.ts";
import { slidingCounter } from "../../../src/world/limits/sliding-counter.ts";
import { slidingLog } from "../../../src/world/limits/sliding-log.ts";
import { tokenBucket } from "../../../src/world/limits/token-bucket.ts";

/** Whether one more is admitted at `nowMs`, after those that were admitted at these times, in their order. */
type Model = (admitted: readonly number[], rate: Rate, nowMs: number) => boolean;

export const models: Readonly<Record<Choice<"limit.algorithm">, Model>> = {
  "fixed-window"(admitted, { requests, windowMs }, nowMs) {
    const minute = (timeMs: number): number => Math.floor(timeMs / windowMs);
    return admitted.filter((timeMs) => minute(timeMs) === minute(nowMs)).length < requests;
  },
  "fixed-from-first"(admitted, { requests, windowMs }, nowMs) {
    let window: number[] = [];
    for (const timeMs of [...admitted, nowMs]) {
      const [first = timeMs] = window;
      window = timeMs - first >= windowMs ? [timeMs] : [...window, timeMs];
    }
    return window.length <= requests;
  },
  "sliding-log"(admitted, { requests, windowMs }, nowMs) {
    return admitted.filter((timeMs) => timeMs > nowMs - windowMs).length < requests;
  },
  "sliding-counter"(admitted, { requests, windowMs }, nowMs) {
    const start = nowMs - (nowMs % windowMs);
    const current = admitted.filter((timeMs) => timeMs >= start).length;
    const before = admitted.filter((timeMs) => timeMs < start && timeMs >= start - windowMs).length;
    // Whole numbers divide without a remainder, however large they are.
    const carried = (BigInt(before) * BigInt(windowMs - (nowMs - start))) / BigInt(windowMs);
    return current + Number(carried) < requests;
  },
  "token-bucket"(admitted, { requests, windowMs }, nowMs) {
    const tokenMs = windowMs / requests;
    let tokens = requests;
    let ripeMs = 0;
    let sinceMs = 0;
    const flow = (untilMs: number): void => {
      for (; sinceMs < untilMs; sinceMs += 1) {
        ripeMs = tokens === requests ? 0 : ripeMs + 1;
        if (ripeMs === tokenMs) {
          tokens += 1;
          ripeMs = 0;
        }
      }
    };
    for (const timeMs of admitted) {
      flow(timeMs);
      tokens -= 1;
    }
    flow(nowMs);
    return tokens > 0;
  },
};

/** How many are admitted one after the other at `nowMs`. */
export function modelRemaining(
  model: Model,
  admitted: readonly number[],
  rate: Rate,
  nowMs: number,
): number {
  const all = [...admitted];
  while (model(all, rate, nowMs)) all.push(nowMs);
  return all.length - admitted.length;
}

/** The least wait after which `holds`, from 0 on. */
export function leastWait(holds: (waitMs: number) => boolean): number {
  let waitMs = 0;
  while (!holds(waitMs)) waitMs += 1;
  return waitMs;
}

export const algorithms: Readonly<Record<Choice<"limit.algorithm">, LimitAlgorithm<object>>> = {
  "fixed-window": fixedWindow,
  "fixed-from-first": fixedFromFirst,
  "sliding-log": slidingLog,
  "sliding-counter": slidingCounter,
  "token-bucket": tokenBucket,
};

export const algorithmNames = Object.keys(algorithms) as readonly Choice<"limit.algorithm">[];

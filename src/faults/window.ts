/** When a rule looks at requests: from an instant to another, and of that time all of it or a part that comes round. */

import { parseInstant } from "../base/calendar.ts";
import { durationMs } from "../base/duration.ts";
import type { FaultMatch } from "./rule.ts";

/** In milliseconds since 1970, and of them. */
export interface Window {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly repeat: { readonly forMs: number; readonly everyMs: number } | undefined;
}

export function windowOf({ from, until, repeat }: FaultMatch): Window {
  return {
    // A world's time is never before 1970.
    fromMs: from === undefined ? 0 : (parseInstant(from) ?? 0),
    untilMs: (until === undefined ? undefined : parseInstant(until)) ?? Number.POSITIVE_INFINITY,
    repeat: repeat && { forMs: durationMs(repeat.for), everyMs: durationMs(repeat.every) },
  };
}

export function isOpen({ fromMs, untilMs, repeat }: Window, nowMs: number): boolean {
  if (nowMs < fromMs || nowMs >= untilMs) return false;
  return repeat === undefined || (nowMs - fromMs) % repeat.everyMs < repeat.forMs;
}

/** Everything that the request path works on: one world's parts, wired by the simulator. */

import { type Day, dayOfInstant } from "../base/calendar.ts";
import type { Clock } from "../base/clock.ts";
import { HOUR_MS, MINUTE_MS } from "../base/duration.ts";
import type { WhyNot } from "../faults/installed-rule.ts";
import type { RuleList } from "../faults/rule-list.ts";
import type { Assumptions, Choice } from "../spec/assumptions/catalogue.ts";
import type { AccountWorld } from "../world/accounts/accounts.ts";
import type { WorldAbout } from "../world/world-settings.ts";
import type { AllowedOrigins } from "./cors.ts";
import type { Meter } from "./meter.ts";

export interface World extends AccountWorld {
  readonly seed: string;
  /** What every journal record says of the world. */
  readonly about: WorldAbout;
  readonly clock: Clock;
  readonly rules: RuleList;
  /** Which verdicts the transports in use can't carry out. */
  readonly whyNot: WhyNot;
  /** Whether every response says in a header which open points shaped it. */
  readonly explain: boolean;
  /** Whose pages may read answers. */
  readonly origins: AllowedOrigins;
  /** Counts what happens, where somebody wants to know. */
  readonly meter: Meter | undefined;
}

const midnightOffsetMs = {
  utc: 0,
  ist: 5.5 * HOUR_MS,
} satisfies Record<Choice<"date.timezone">, number>;

const dedupWindowMs = {
  "30m": 30 * MINUTE_MS,
  "24h": 24 * HOUR_MS,
  forever: Number.POSITIVE_INFINITY,
} satisfies Record<Choice<"dedup.window">, number>;

/** The calendar day of an instant, under the reading of whose midnight counts. */
export function dayReader(assumptions: Assumptions): (instantMs: number) => Day {
  const offsetMs = midnightOffsetMs[assumptions["date.timezone"]];
  return (instantMs) => dayOfInstant(instantMs, offsetMs);
}

/** How long an impression is remembered for de-duplication, in milliseconds; may be infinite. */
export function dedupWindowOf(assumptions: Assumptions): number {
  return dedupWindowMs[assumptions["dedup.window"]];
}

/** Frees, once a window, what de-duplication no longer needs: a publisher may never send again. Never, if it is endless. */
export function forgetter({ accounts, assumptions }: World): (nowMs: number) => void {
  const windowMs = dedupWindowOf(assumptions);
  let dueMs = Number.NEGATIVE_INFINITY;
  return (nowMs) => {
    if (nowMs < dueMs) return;
    dueMs = nowMs + windowMs;
    for (const account of accounts.opened()) account.book.forget(nowMs, windowMs);
  };
}

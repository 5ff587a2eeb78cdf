/** What operations work on, and how long its days and its memory of duplicates are. */

import { type Day, dayOfInstant } from "../../base/calendar.ts";
import { HOUR_MS, MINUTE_MS } from "../../base/duration.ts";
import type { Assumptions, Choice } from "../../spec/assumptions/catalogue.ts";
import type { AccountWorld } from "../../world/accounts/accounts.ts";

export interface OperationWorld extends AccountWorld {
  readonly seed: string;
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

/** When days begin, and how long impressions are remembered. */

import { type Day, dayOfInstant } from "../../base/calendar.ts";
import { HOUR_MS, MINUTE_MS } from "../../base/duration.ts";
import type { Assumptions, Choice } from "../../spec/assumptions/catalogue.ts";

const dedupWindowMs = {
  "30m": 30 * MINUTE_MS,
  "24h": 24 * HOUR_MS,
  forever: Number.POSITIVE_INFINITY,
} satisfies Record<Choice<"dedup.window">, number>;

/** Returns the calendar day of an instant in the time zone of `date.timezone`. */
export function dayReader(assumptions: Assumptions): (instantMs: number) => Day {
  const offsetMs = assumptions["date.timezone"] === "ist" ? 5.5 * HOUR_MS : 0;
  return (instantMs) => dayOfInstant(instantMs, offsetMs);
}

/** How long impressions are remembered for de-duplication, in milliseconds. May be infinite. */
export function dedupWindowOf(assumptions: Assumptions): number {
  return dedupWindowMs[assumptions["dedup.window"]];
}

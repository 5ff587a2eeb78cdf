/** The parts of a world that the request path uses. The simulator wires them. */

import { type Day, dayOfInstant } from "../base/calendar.ts";
import type { Clock } from "../base/clock.ts";
import { HOUR_MS, MINUTE_MS } from "../base/duration.ts";
import type { Rules } from "../faults/rules.ts";
import type { Assumptions, Choice } from "../spec/assumptions/catalogue.ts";
import type { AccountWorld } from "../world/accounts/accounts.ts";
import type { WorldDescription } from "../world/publishers/world-settings.ts";
import type { AllowedOrigins } from "./cors.ts";
import type { Meter } from "./meter.ts";

export interface World extends AccountWorld {
  readonly seed: string;
  /** The world's settings in every journal record. */
  readonly about: WorldDescription;
  readonly clock: Clock;
  readonly dayOf: (instantMs: number) => Day;
  readonly rules: Rules;
  /** Whether every response has a header that lists the assumptions that shaped it. */
  readonly explain: boolean;
  /** The origins whose pages may read answers. */
  readonly origins: AllowedOrigins;
  /** Undefined if metrics aren't collected. */
  readonly meter: Meter | undefined;
}

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

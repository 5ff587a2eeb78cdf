/** Random waits for a clock. Most end a millisecond before, at or after an instant at which something changes. */

import fc from "fast-check";
import {
  day,
  dayOfInstant,
  formatDay,
  LAST_INSTANT_MS,
  parseInstant,
} from "../../base/calendar.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../base/duration.ts";
import { InputError } from "../../base/input.ts";
import type { SimulatorCore } from "../../simulator/core.ts";
import { DEFAULT_START } from "../../simulator/simulator-options.ts";
import { checkNames } from "../options.ts";
import { sequenceOf } from "./sequence.ts";

export interface ArbitraryClockPlanOptions {
  /** The waits begin at this simulator's current time. @default none */
  readonly sim?: SimulatorCore | undefined;
  /** The instant at which the waits begin, in ISO 8601, if there is no `sim`. @default "2026-01-15T00:00:00Z" */
  readonly start?: string | undefined;
  /** @default 1 */
  readonly minLength?: number | undefined;
  /** @default 8 */
  readonly maxLength?: number | undefined;
}

export interface ClockStep {
  /** For `clock.advance`, in milliseconds. */
  readonly byMs: number;
  /** The time afterwards, if nothing else moves the clock: milliseconds since 1970. */
  readonly atMs: number;
  /** The edge near which it ends: a millisecond before, at or after it. A window counts from the start of the wait. */
  readonly edge: Edge | undefined;
}

/** The first one after an instant. */
type Next = (afterMs: number) => number;

/** The nearest first. */
const table = {
  /** A minute of the clock begins, and with it a new quota (spec §8). */
  minute: (afterMs) => (Math.floor(afterMs / MINUTE_MS) + 1) * MINUTE_MS,
  /** The age of an event at which de-duplication forgets it. */
  "window-30m": (afterMs) => afterMs + 30 * MINUTE_MS,
  "midnight-ist": midnightOf(5.5 * HOUR_MS),
  "midnight-utc": midnightOf(0),
  /** The same, and the age at which an impression can't be clicked any more. */
  "window-24h": (afterMs) => afterMs + DAY_MS,
  "month-end": midnightOf(0, "-01"),
  "month-end-ist": midnightOf(5.5 * HOUR_MS, "-01"),
  "leap-day": midnightOf(0, "-02-29"),
} satisfies Readonly<Record<string, Next>>;

/** An instant at which something may change. Months begin in UTC or, with `-ist`, in India. */
export type Edge = keyof typeof table;

// The names of a record are its keys.
export const edges: readonly Edge[] = Object.keys(table) as Edge[];

/** A midnight with which such a day begins: its date ends so. */
function midnightOf(offsetMs: number, ending = ""): Next {
  return (afterMs) => {
    let next = dayOfInstant(afterMs, offsetMs) + 1;
    while (next * DAY_MS < LAST_INSTANT_MS && !formatDay(day(next)).endsWith(ending)) next += 1;
    return next * DAY_MS - offsetMs;
  };
}

/** A wait until `nudgeMs` from an edge, or for `ms` if there is no edge or it is too far away. */
const waits = fc.record({
  // An index shrinks step by step towards the first edge; constantFrom would jump to the first.
  edge: fc.nat(edges.length).map((place) => edges[place - 1]),
  nudgeMs: fc.constantFrom(0, -1, 1),
  ms: fc.oneof(...[2 * MINUTE_MS, HOUR_MS, 2 * DAY_MS].map((max) => fc.integer({ min: 1, max }))),
});

/**
 * Time never goes back, nor past the year 9999. A failure shrinks to few waits, to near edges, and to a millisecond.
 *
 * @throws InputError that names the invalid option.
 */
export function arbitraryClockPlan(
  options: ArbitraryClockPlanOptions = {},
): fc.Arbitrary<readonly ClockStep[]> {
  checkNames(options, ["sim", "start", "minLength", "maxLength"]);
  const { sim, start = DEFAULT_START, minLength = 1, maxLength = 8 } = options;
  const startMs = parseInstant(start);
  if (startMs === undefined)
    throw new InputError("start", `must be an instant, such as ${DEFAULT_START}`);
  return sequenceOf(waits, { minLength, maxLength }).map((list) => {
    let nowMs = sim?.clock.now() ?? startMs;
    return list.map(({ edge, nudgeMs, ms }) => {
      const leftMs = LAST_INSTANT_MS - nowMs;
      const untilMs = edge && table[edge](nowMs) + nudgeMs - nowMs;
      const isNear = untilMs !== undefined && untilMs <= leftMs;
      const byMs = isNear ? untilMs : Math.min(ms, leftMs);
      nowMs += byMs;
      return { byMs, atMs: nowMs, edge: isNear ? edge : undefined };
    });
  });
}

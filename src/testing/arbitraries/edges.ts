/** Waits that end near an edge: an instant at which something changes, such as a midnight or the end of a window. */

import fc from "fast-check";
import { day, dayOfInstant, formatDay, LAST_INSTANT_MS } from "../../base/calendar.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../base/duration.ts";

/** How far away it usually is, and the first one after an instant. A window counts from `sinceMs`, or anew if it is over. */
type Distance = readonly [usualMs: number, nextMs: (afterMs: number, sinceMs: number) => number];

const table = {
  /** A minute of the clock begins, and with it a new quota (spec §8). */
  minute: [MINUTE_MS, (afterMs) => (Math.floor(afterMs / MINUTE_MS) + 1) * MINUTE_MS],
  /** The age of an event at which de-duplication forgets it. */
  "window-30m": windowOf(30 * MINUTE_MS),
  "midnight-ist": midnightOf(DAY_MS, 5.5 * HOUR_MS),
  "midnight-utc": midnightOf(DAY_MS, 0),
  /** The same, and the age at which an impression can't be clicked any more. */
  "window-24h": windowOf(DAY_MS),
  "month-end": midnightOf(28 * DAY_MS, 0, "-01"),
  "month-end-ist": midnightOf(28 * DAY_MS, 5.5 * HOUR_MS, "-01"),
  "leap-day": midnightOf(366 * DAY_MS, 0, "-02-29"),
} satisfies Readonly<Record<string, Distance>>;

/** An instant at which something may change. Months begin in UTC or, with `-ist`, in India. */
export type Edge = keyof typeof table;

// The names of a record are its keys.
/** The nearest first. */
export const edges: readonly Edge[] = Object.keys(table) as Edge[];

function windowOf(lengthMs: number): Distance {
  return [
    lengthMs,
    (afterMs, sinceMs) => (sinceMs + lengthMs > afterMs ? sinceMs : afterMs) + lengthMs,
  ];
}

/** A midnight with which such a day begins: its date ends so. */
function midnightOf(usualMs: number, offsetMs: number, ending = ""): Distance {
  const nextMs = (afterMs: number): number => {
    let next = dayOfInstant(afterMs, offsetMs) + 1;
    while (next * DAY_MS < LAST_INSTANT_MS && !formatDay(day(next)).endsWith(ending)) next += 1;
    return next * DAY_MS - offsetMs;
  };
  return [usualMs, nextMs];
}

/** A wait that isn't resolved yet: until `nudgeMs` from an edge, or for `ms` if there is no edge or it is too far away. */
export interface Wait {
  readonly edge: Edge | undefined;
  readonly nudgeMs: -1 | 0 | 1;
  readonly ms: number;
}

/** Most waits end near an edge. They shrink to nearer edges, then to short waits without one. */
export function anyWait(of: readonly Edge[], longestMs: number): fc.Arbitrary<Wait> {
  // An index shrinks step by step towards the first edge; constantFrom would jump to the first.
  const near = edges.filter((edge) => of.includes(edge) && table[edge][0] <= longestMs);
  const upTo = (most: number): fc.Arbitrary<number> =>
    fc.integer({ min: 1, max: Math.max(1, Math.min(most, longestMs)) });
  return fc.record({
    edge: fc.nat(near.length).map((place) => near[place - 1]),
    nudgeMs: fc.constantFrom<Wait["nudgeMs"]>(0, -1, 1),
    ms: fc.oneof(upTo(2 * MINUTE_MS), upTo(HOUR_MS), upTo(2 * DAY_MS)),
  });
}

/** Resolves waits one after the other, from `startMs`. Windows count from the last `beginWindow` or the start. */
export function createWaits(startMs: number, longestMs: number) {
  let nowMs = startMs;
  let sinceMs = startMs;
  return {
    beginWindow(): void {
      sinceMs = nowMs;
    },
    next({ edge, nudgeMs, ms }: Wait): { byMs: number; atMs: number; edge: Edge | undefined } {
      const mostMs = Math.max(0, Math.min(longestMs, LAST_INSTANT_MS - nowMs));
      const [, nextMs] = edge === undefined ? [] : table[edge];
      const untilMs = nextMs && nextMs(nowMs - nudgeMs, sinceMs) + nudgeMs - nowMs;
      const isNear = untilMs !== undefined && untilMs <= mostMs;
      const byMs = isNear ? untilMs : Math.min(ms, mostMs);
      nowMs += byMs;
      return { byMs, atMs: nowMs, edge: isNear ? edge : undefined };
    },
  };
}

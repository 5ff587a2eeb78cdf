/** Waits that end near an edge: an instant at which something changes, such as a midnight or the end of a window. */

import fc from "fast-check";
import {
  type Day,
  dayOfInstant,
  firstDayOfMonth,
  LAST_INSTANT_MS,
  monthOfDay,
} from "../../base/calendar.ts";
import { DAY_MS, durationMs, HOUR_MS, isDuration, MINUTE_MS } from "../../base/duration.ts";
import { catalogue } from "../../spec/assumptions/catalogue.ts";

/**
 * - `minute`: a minute of the clock begins, and with it a new quota (spec §8).
 * - `midnight-utc`, `midnight-ist`: a day begins, in UTC or in India.
 * - `window-…`: an event reaches this age: one for each window of de-duplication and clicks.
 * - `month-end`, `month-end-ist`: a month begins.
 * - `leap-day`: 29 February begins, in UTC.
 */
export type Edge =
  | "minute"
  | "midnight-utc"
  | "midnight-ist"
  | "month-end"
  | "month-end-ist"
  | "leap-day"
  | `window-${string}`;

const IST_MS = 5.5 * HOUR_MS;

/** The lengths of all windows, shortest first. */
const windowsMs: ReadonlyMap<string, number> = new Map(
  [
    ...Object.keys(catalogue["dedup.window"].choices),
    ...Object.keys(catalogue["click.window"].choices),
  ]
    .filter(isDuration)
    .map((length): [string, number] => [`window-${length}`, durationMs(length)])
    .toSorted(([, one], [, other]) => one - other),
);

/** The first instant of a kind after `afterMs`. */
type Next = (afterMs: number) => number;

const instants: Readonly<Record<Exclude<Edge, `window-${string}`>, Next>> = {
  minute: (afterMs) => (Math.floor(afterMs / MINUTE_MS) + 1) * MINUTE_MS,
  "midnight-utc": (afterMs) => midnightOf(afterMs, 0, (day) => day + 1),
  "midnight-ist": (afterMs) => midnightOf(afterMs, IST_MS, (day) => day + 1),
  "month-end": (afterMs) => midnightOf(afterMs, 0, nextMonth),
  "month-end-ist": (afterMs) => midnightOf(afterMs, IST_MS, nextMonth),
  "leap-day": (afterMs) => midnightOf(afterMs, 0, nextLeapDay),
};

function midnightOf(afterMs: number, offsetMs: number, of: (today: Day) => number): number {
  return of(dayOfInstant(afterMs, offsetMs)) * DAY_MS - offsetMs;
}

function nextMonth(today: Day): number {
  return firstDayOfMonth(monthOfDay(today) + 1);
}

function nextLeapDay(today: Day): number {
  for (let month = monthOfDay(today); ; month += 1) {
    const isFebruary = month % 12 === 1;
    const leapDay = firstDayOfMonth(month) + 28;
    if (isFebruary && leapDay < firstDayOfMonth(month + 1) && leapDay > today) return leapDay;
  }
}

/** Edges farther away than the longest wait aren't tried. */
function usualDistanceMs(edge: Edge): number {
  if (edge.startsWith("month-end")) return 28 * DAY_MS;
  if (edge === "leap-day") return 366 * DAY_MS;
  return windowsMs.get(edge) ?? 0;
}

/** The nearest first. */
export const edges: readonly Edge[] = [
  "minute",
  // The map's keys have that prefix.
  ...([...windowsMs.keys()] as Edge[]).slice(0, 1),
  "midnight-ist",
  "midnight-utc",
  ...([...windowsMs.keys()] as Edge[]).slice(1),
  "month-end",
  "month-end-ist",
  "leap-day",
];

/** A wait that isn't resolved yet: until `nudgeMs` from an edge, or for `ms` if there is no edge. */
export interface Wait {
  readonly edge: Edge | undefined;
  readonly nudgeMs: -1 | 0 | 1;
  readonly ms: number;
}

/** Most waits end near an edge. They shrink to nearer edges, then to short waits without one. */
export function anyWait(of: readonly Edge[], longestMs: number): fc.Arbitrary<Wait> {
  // An index shrinks step by step towards the first edge; constantFrom would jump to the first.
  const known = edges.filter((edge) => of.includes(edge) && usualDistanceMs(edge) <= longestMs);
  const places: readonly (Edge | undefined)[] = [undefined, ...known];
  const upTo = (most: number): fc.Arbitrary<number> =>
    fc.integer({ min: 1, max: Math.max(1, Math.min(most, longestMs)) });
  return fc.record({
    edge: fc.nat(places.length - 1).map((place) => places[place]),
    nudgeMs: fc.constantFrom<Wait["nudgeMs"]>(0, -1, 1),
    ms: fc.oneof(upTo(2 * MINUTE_MS), upTo(HOUR_MS), upTo(2 * DAY_MS)),
  });
}

/**
 * The length of the wait from `nowMs`, and the edge near which it ends. A window counts from `sinceMs`, or from now if
 * it is over. No wait is longer than `longestMs` or ends past the last instant of a world.
 */
function resolveWait(
  { edge, nudgeMs, ms }: Wait,
  { nowMs, sinceMs, longestMs }: { nowMs: number; sinceMs: number; longestMs: number },
): { readonly byMs: number; readonly edge: Edge | undefined } {
  const mostMs = Math.max(0, Math.min(longestMs, LAST_INSTANT_MS - nowMs));
  const plain = { byMs: Math.min(ms, mostMs), edge: undefined };
  if (edge === undefined) return plain;
  const byMs = targetOf(edge, nudgeMs, nowMs, sinceMs) - nowMs;
  // If the edge is too far away, it is a plain wait.
  return byMs <= mostMs ? { byMs, edge } : plain;
}

/** Resolves waits one after the other, beginning at `startMs`. Windows count from the last `beginWindow` or the start. */
export function createWaits(
  startMs: number,
  longestMs: number,
): {
  beginWindow(): void;
  next(wait: Wait): ReturnType<typeof resolveWait> & { readonly atMs: number };
} {
  let nowMs = startMs;
  let sinceMs = startMs;
  return {
    beginWindow() {
      sinceMs = nowMs;
    },
    next(wait) {
      const resolved = resolveWait(wait, { nowMs, sinceMs, longestMs });
      nowMs += resolved.byMs;
      return { ...resolved, atMs: nowMs };
    },
  };
}

function targetOf(edge: Edge, nudgeMs: number, nowMs: number, sinceMs: number): number {
  const windowMs = windowsMs.get(edge);
  if (windowMs === undefined) {
    // The edge isn't a window, so `instants` has it.
    const next = instants[edge as keyof typeof instants];
    return next(nowMs - nudgeMs) + nudgeMs;
  }
  const targetMs = sinceMs + windowMs + nudgeMs;
  return targetMs > nowMs ? targetMs : nowMs + windowMs + nudgeMs;
}

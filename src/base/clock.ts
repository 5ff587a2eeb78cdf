/** The world's time. Never reads real time itself: a clock that needs it is given a `WallClock`. */

import * as v from "valibot";
import { formatInstant, LAST_INSTANT_MS } from "./calendar.ts";
import { type Duration, durationMs } from "./duration.ts";
import { InputError, parseInput } from "./input.ts";
import { strictObject } from "./schemas.ts";

export const clockModes = ["frozen", "flowing", "system"] as const;

/**
 * - `frozen`: only `advance` and `set` move it.
 * - `flowing`: starts at a chosen instant and runs with real elapsed time.
 * - `system`: real time.
 */
export type ClockMode = (typeof clockModes)[number];

/** A clock that never runs backwards. Instants are milliseconds since 1970-01-01T00:00:00Z. */
export interface Clock {
  /** @returns the current instant in milliseconds. */
  now(): number;
  readonly mode: ClockMode;
  /**
   * Moves the clock forward; `advance(a); advance(b)` equals `advance(a + b)`.
   *
   * @returns the new instant in milliseconds.
   * @throws InputError for a malformed duration or an instant past the year 9999. The clock is then unchanged.
   */
  advance(by: Duration): number;
  /**
   * Changes the mode, the instant or both.
   *
   * @throws InputError for an unknown mode, for anything but whole milliseconds, for an instant before `now()` or past the
   * year 9999, and for a mode that needs real time if the clock has no `WallClock`. The clock is then unchanged.
   */
  set(change: { readonly mode?: ClockMode; readonly nowMs?: number }): void;
}

const wholeMs = "must be whole milliseconds since 1970, as a number";
const changeSchema = strictObject({
  mode: v.optional(v.picklist(clockModes)),
  nowMs: v.optional(v.pipe(v.number(wholeMs), v.safeInteger(wholeMs))),
});

/** Where a flowing or system clock reads real time: milliseconds since 1970, as `Date.now` gives them. */
export type WallClock = () => number;

/** Creates a clock that shows `startMs`. @throws InputError for a mode that needs a missing `wallClock`. */
export function createClock(
  startMode: ClockMode,
  startMs: number,
  wallClock: WallClock | undefined,
): Clock {
  let mode = startMode;
  let nowMs = startMs;
  /** The latest time that the wall clock has shown; 0 if it isn't needed. */
  let wallMs = wallClockMs(mode, wallClock);

  function now(): number {
    const shownMs = wallClockMs(mode, wallClock);
    // The wall clock may be set back. The world's time never runs backwards and never passes the year 9999.
    if (shownMs > wallMs) {
      nowMs = Math.min(LAST_INSTANT_MS, nowMs + shownMs - wallMs);
      wallMs = shownMs;
    }
    return nowMs;
  }
  function begin(nextMode: ClockMode, nextMs: number): void {
    if (!(nextMs <= LAST_INSTANT_MS))
      throw new InputError("now", `must not be past ${formatInstant(LAST_INSTANT_MS)}`);
    wallMs = wallClockMs(nextMode, wallClock);
    mode = nextMode;
    nowMs = nextMs;
  }

  return {
    now,
    get mode() {
      return mode;
    },
    advance(by) {
      begin(mode, now() + durationMs(by));
      return nowMs;
    },
    set(change) {
      const asked = parseInput(changeSchema, change, "change");
      if (asked.mode === undefined && asked.nowMs === undefined)
        throw new InputError("change", "must name mode, nowMs or both");
      const nextMode = asked.mode ?? mode;
      const beforeMs = now();
      if (asked.nowMs !== undefined && asked.nowMs < beforeMs) {
        const hint = "time never runs backwards. Reset the world to start over";
        const expected = `must not be before the world's time, ${formatInstant(beforeMs)}: ${hint}`;
        throw new InputError("now", expected, "conflict");
      }
      const realMs = nextMode === "system" ? wallClockMs(nextMode, wallClock) : beforeMs;
      begin(nextMode, asked.nowMs ?? Math.max(beforeMs, realMs));
    },
  };
}

/** Real time in whole milliseconds; 0 for a mode that doesn't need it. @throws InputError if it is needed and missing. */
export function wallClockMs(mode: ClockMode, wallClock: WallClock | undefined): number {
  if (mode === "frozen") return 0;
  if (wallClock === undefined) {
    const how = 'pass wallClock (Date.now, for example) to createSimulator, or use "frozen"';
    throw new InputError("clock", `"${mode}" needs real time: ${how}`, "conflict");
  }
  const wallMs = wallClock();
  if (Number.isFinite(wallMs)) return Math.floor(wallMs);
  throw new InputError("wallClock", "must return milliseconds since 1970, as Date.now does");
}

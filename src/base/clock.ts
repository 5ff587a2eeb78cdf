/** The world's time. Never reads real time itself: a clock that needs it is given a `WallClock`. */

import * as v from "valibot";
import { formatInstant, LAST_INSTANT_MS } from "./calendar.ts";
import { type Duration, durationMs } from "./duration.ts";
import { InputError, parseInput } from "./input.ts";

/**
 * - `frozen`: only `advance` and `set` move it.
 * - `flowing`: starts at a chosen instant and runs with real elapsed time.
 * - `system`: real time.
 */
export type ClockMode = "frozen" | "flowing" | "system";

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

export const clockModes: readonly ClockMode[] = ["frozen", "flowing", "system"];

const wholeMs = "must be whole milliseconds since 1970, as a number";
const changeSchema = v.pipe(
  v.strictObject({
    mode: v.optional(v.picklist(clockModes, `must be one of ${clockModes.join(", ")}`)),
    nowMs: v.optional(v.pipe(v.number(wholeMs), v.safeInteger(wholeMs))),
  }),
  v.check(
    ({ mode, nowMs }) => mode !== undefined || nowMs !== undefined,
    "must name mode, nowMs or both",
  ),
);

/** Where a flowing or system clock reads real time: milliseconds since 1970, as `Date.now` gives them. */
export type WallClock = () => number;

/**
 * Creates a clock that shows `startMs`.
 *
 * @throws InputError for a mode that needs real time if `wallClock` is missing.
 */
export function createClock(
  mode: ClockMode,
  startMs: number,
  wallClock: WallClock | undefined,
): Clock {
  // now = base + (wall - origin). A frozen clock doesn't read the wall clock.
  let current = mode;
  let baseMs = startMs;
  let originMs = wallClockMs(mode, wallClock);
  let latestMs = startMs;

  function now(): number {
    if (current === "frozen") return baseMs;
    const flowedMs = baseMs + wallClockMs(current, wallClock) - originMs;
    // The wall clock may be set back. The world's time never runs backwards and never passes the year 9999.
    latestMs = Math.min(LAST_INSTANT_MS, Math.max(latestMs, flowedMs));
    return latestMs;
  }
  function begin(nextMode: ClockMode, nowMs: number): void {
    if (!(nowMs <= LAST_INSTANT_MS)) {
      throw new InputError(
        "now",
        "must not be past 9999-12-31T18:29:59.999Z: after that the year in India has five digits",
      );
    }
    originMs = wallClockMs(nextMode, wallClock);
    current = nextMode;
    baseMs = nowMs;
    latestMs = nowMs;
  }

  return {
    now,
    get mode(): ClockMode {
      return current;
    },
    advance(by) {
      begin(current, now() + durationMs(by));
      return now();
    },
    set(change) {
      const { mode: nextMode = current, nowMs } = parseInput(changeSchema, change, "change");
      const beforeMs = now();
      const target =
        nowMs ??
        (nextMode === "system" ? Math.max(beforeMs, wallClockMs(nextMode, wallClock)) : beforeMs);
      if (target < beforeMs) {
        throw new InputError(
          "now",
          `must not be before the world's time, ${formatInstant(beforeMs)}: time never runs backwards. Reset the world to start over`,
          "conflict",
        );
      }
      begin(nextMode, target);
    },
  };
}

/** Real time in whole milliseconds; 0 for a mode that doesn't need it. @throws InputError if it is needed and missing. */
export function wallClockMs(mode: ClockMode, wallClock: WallClock | undefined): number {
  if (mode === "frozen") return 0;
  if (wallClock !== undefined) {
    const wallMs = wallClock();
    if (Number.isFinite(wallMs)) return Math.floor(wallMs);
    throw new InputError("wallClock", "must return milliseconds since 1970, as Date.now does");
  }
  throw new InputError(
    "clock",
    `"${mode}" needs real time: pass wallClock (Date.now, for example) to createSimulator, or use "frozen"`,
    "conflict",
  );
}

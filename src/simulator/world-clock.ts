/** The clock of a simulator: that of the world that is running now, whose changes are noted. */

import type { Clock, ClockMode } from "../base/clock.ts";
import { durationMs } from "../base/duration.ts";
import type { WorldChange } from "../journal/log.ts";

export function createWorldClock(
  running: () => Clock,
  note: (change: WorldChange, atMs: number) => void,
): Clock {
  return {
    now: () => running().now(),
    get mode(): ClockMode {
      return running().mode;
    },
    advance(by) {
      const nowMs = running().advance(by);
      note({ kind: "advance", byMs: durationMs(by) }, nowMs);
      return nowMs;
    },
    set(change) {
      const { mode: was } = running();
      running().set(change);
      const { mode } = running();
      const nowMs = running().now();
      note({ kind: "set-clock", mode, nowMs, was }, nowMs);
    },
  };
}

/** The clock of a simulator: that of the world that is running now, whose changes are noted. */

import type { Clock, ClockMode } from "../base/clock.ts";
import { durationMs } from "../base/duration.ts";
import type { WorldChange } from "./world-change.ts";

interface WorldClockParts {
  readonly running: () => Clock;
  readonly note: (change: WorldChange, atMs: number) => void;
  readonly modeChanged: (before: ClockMode) => void;
}

export function createWorldClock({ running, note, modeChanged }: WorldClockParts): Clock {
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
      const { mode } = running();
      running().set(change);
      if (running().mode !== mode) modeChanged(mode);
      const nowMs = running().now();
      note({ kind: "set-clock", mode: running().mode, nowMs }, nowMs);
    },
  };
}

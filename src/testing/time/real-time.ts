/** Real time, for a client that talks to a real server. The world's clock can jump; waiting for work can't be shortened. */

import type { Clock } from "../../base/clock.ts";
import { pause, type Time, type Timer } from "./time.ts";

/** Long enough for a request over loopback to be on its way. */
const SETTLE_MS = 20;

/** The longest wait for one piece of work. */
const LONGEST_WAIT_MS = 120_000;

const POLL_MS = 25;

export interface RealTimeOptions {
  /** It flows, and `pass` makes it jump. */
  readonly clock: Pick<Clock, "now" | "advance">;
  /** True ends the wait, however much time is left. */
  readonly isEnough: () => boolean;
  /** How long a silent client gets before time passes. At least 20. @default 20 */
  readonly patienceMs?: number | undefined;
}

export function createRealTime({ clock, isEnough, patienceMs = 0 }: RealTimeOptions): Time {
  const timers: Time["timers"] = {
    now: () => clock.now(),
    // Node's and the browser's timers differ, but both are what clearTimeout takes.
    setTimeout: (callback, delayMs) => setTimeout(callback, delayMs) as unknown as Timer,
    clearTimeout: (timer) => clearTimeout(timer as unknown as number | undefined),
  };
  const settle = (): Promise<void> => pause(timers, Math.max(SETTLE_MS, patienceMs));
  return {
    timers,
    async pass(ms) {
      await settle();
      if (ms > 0) clock.advance(ms);
    },
    async until(work) {
      const over = Promise.allSettled([work]).then(() => "over" as const);
      const lastMs = performance.now() + LONGEST_WAIT_MS;
      for (;;) {
        const kind = await Promise.race([over, pause(timers, POLL_MS)]);
        if (kind === "over") return { kind };
        if (isEnough() || performance.now() > lastMs) return { kind: "endless" };
      }
    },
    pendingTimers: () => [],
    settle,
  };
}

/** The machine's time, for a client that talks to a real server: who lets it pass waits, save where the world's clock can jump. */

import type { Clock } from "../../base/clock.ts";
import type { Time, Timer } from "./time.ts";

/** Long enough for a request over loopback to be on its way. */
const SETTLE_MS = 20;

/** Nobody waits longer for one thing. */
const LONGEST_WAIT_MS = 60_000;

/** How often it is looked whether waiting goes on. */
const LOOK_MS = 25;

export interface RealTimeOptions {
  /** It flows; passing time makes it jump. */
  readonly clock: Pick<Clock, "now" | "advance">;
  /** Whether nobody waits any longer, whatever the time. */
  readonly isEnough: () => boolean;
  /** How long a client that makes no sign is given before time is made to pass. @default 20 */
  readonly patienceMs?: number | undefined;
}

export function createRealTime(options: RealTimeOptions): Time {
  const { clock, isEnough, patienceMs = 0 } = options;
  const settle = (): Promise<void> => pause(Math.max(SETTLE_MS, patienceMs));
  return {
    timers: {
      now: () => clock.now(),
      // Node's and the browser's timers differ, but both are what clearTimeout takes.
      setTimeout: (callback, delayMs) => setTimeout(callback, delayMs) as unknown as Timer,
      clearTimeout: (timer) => clearTimeout(timer as unknown as number | undefined),
    },
    noteActivity() {},
    async pass(ms) {
      await settle();
      if (ms > 0) clock.advance(ms);
    },
    async until(work) {
      const over = work.then(
        () => "over" as const,
        () => "over" as const,
      );
      const lastMs = performance.now() + LONGEST_WAIT_MS;
      for (;;) {
        const kind = await Promise.race([over, pause(LOOK_MS)]);
        if (kind === "over") return { kind };
        if (isEnough() || performance.now() > lastMs) return { kind: "endless" };
      }
    },
    settle,
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** One time for a world and its pages, which a test moves. Until it does so, answers that wait follow the machine's time. */

// A test's fake timers don't replace it.
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock as PageClock } from "@playwright/test";
import type { Clock } from "../../base/clock.ts";
import { type Duration, durationMs, HOUR_MS } from "../../base/duration.ts";
import { InputError } from "../../base/input.ts";
import { globalTimers, type Timers } from "../hold-back.ts";

/**
 * Moves the world's clock and those of all pages of the context forward. Timers of pages fire, and delayed answers come.
 *
 * @returns the new instant in milliseconds.
 * @throws InputError (as a rejection) for a malformed duration; what a timer of a page throws.
 */
export type Advance = (by: Duration) => Promise<number>;

/** Real milliseconds without a request, after which the pages are taken to be waiting for a timer. */
const QUIET_MS = 50;
/** Most such waits: a page that asks again and again is never quiet. */
const MAX_WAITS = 50;
/** Steps of one call: a page that sets a timer after each answer gets an answer in each of them. */
const STEPS = 10;

export type SharedClock = ReturnType<typeof createSharedClock>;

export function createSharedClock({ clock }: { readonly clock: Clock }) {
  const held = new Set<{ readonly atMs: number; readonly run: () => void }>();
  let isShared = false;

  const shared = {
    /** Counts requests, and answers that have reached their pages. */
    activity: 0,
    /** Requests whose answers are on their way to their pages. */
    sent: new Set<unknown>(),
    /** For answers that wait. */
    timers: {
      setTimeout(run, ms) {
        if (!isShared) return globalTimers.setTimeout(run, ms);
        const timer = { run, atMs: clock.now() + Math.ceil(ms) };
        held.add(timer);
        return timer;
      },
      clearTimeout(timer) {
        if (!held.delete(timer as never)) globalTimers.clearTimeout(timer as NodeJS.Timeout);
      },
    } satisfies Timers,
    /** Stops the clocks of the pages at the world's time. @throws InputError (as a rejection) if the world's clock runs. */
    async share(pages: PageClock): Promise<Advance> {
      if (clock.mode !== "frozen") {
        throw new InputError("simOptions.clock", 'must be "frozen" in a test that uses `advance`');
      }
      let pagesMs = clock.now();
      // A clock runs from `install` to `pauseAt`, and then can't be set back.
      await pages.install({ time: pagesMs - HOUR_MS });
      await pages.pauseAt(pagesMs);
      isShared = true;
      return async (by) => {
        const stepMs = Math.ceil(durationMs(by) / STEPS);
        const endMs = clock.now() + durationMs(by);
        // What the pages are about to send comes first.
        for (let nextMs = clock.now(); nextMs <= endMs; ) {
          // The world first, so that it isn't behind a page that waited for a quota.
          clock.advance(Math.max(0, nextMs - clock.now()));
          const ms = Math.max(0, clock.now() - pagesMs);
          pagesMs += ms;
          // Every tick of a page's interval takes real time. A month of them would take hours.
          if (ms > HOUR_MS) await pages.fastForward(ms - HOUR_MS);
          await pages.runFor(Math.min(ms, HOUR_MS));
          for (const one of held) if (one.atMs <= clock.now() && held.delete(one)) one.run();
          await settle();
          const dueMs = [...held].map(({ atMs }) => atMs);
          const steps = clock.now() < endMs ? [endMs, clock.now() + stepMs] : [];
          // Infinity if nothing is left, which ends the loop.
          nextMs = Math.min(...steps, ...dueMs);
        }
        return clock.now();
      };
    },
  };

  /** Waits until the pages have their answers and ask for nothing more. */
  async function settle(): Promise<void> {
    for (let waits = 0; waits < MAX_WAITS; waits += 1) {
      const seen = shared.activity;
      await sleep(QUIET_MS);
      if (seen === shared.activity && shared.sent.size === 0) return;
    }
    // An answer to a page that has gone never arrives.
    shared.sent.clear();
  }
  return shared;
}

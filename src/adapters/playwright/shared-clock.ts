/** One time for a world and its pages, which a test moves. Until it does so, answers that wait follow the machine's time. */

// A test's fake timers don't replace these.
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
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

export interface SharedClock {
  /** For answers that wait: virtual once the pages share the world's time. */
  readonly timers: Timers;
  /** Call it when a request comes. */
  noteActivity(): void;
  /** Call it when an answer is sent. Until it has arrived in its page, time waits for it. */
  noteSent(request: unknown): void;
  /** Call it when a page has an answer, or knows that it gets none. */
  noteArrived(request: unknown): void;
  /**
   * Stops the clocks of the pages at the world's time.
   *
   * @throws InputError (as a rejection) if the world's clock isn't frozen.
   */
  share(pages: PageClock): Promise<Advance>;
}

/** After so many real milliseconds without activity, pages are taken to wait for a timer. */
const QUIET_MS = { least: 20, most: 200 } as const;
/** On a busy machine it is longer: as long as so many calls into the pages. In that time a request gets here. */
const QUIET_CALLS = 4;
/** A page that asks again and again without a pause is never quiet, and an answer to a page that has gone never arrives. */
const MAX_WAITS = 50;

/** A page that sets a timer after each answer gets its next answer at least once in each of these steps. */
const MAX_STEPS = 10;

interface HeldAnswer {
  readonly atMs: number;
  readonly run: () => void;
}

export function createSharedClock(world: { readonly clock: Clock }): SharedClock {
  const held = new Map<unknown, HeldAnswer>();
  const unshared: Timers = globalTimers;
  /** The requests whose answers are on their way. */
  const sent = new Set<unknown>();
  let isShared = false;
  let quietMs: number = QUIET_MS.least;
  let activityCount = 0;

  const timers: Timers = {
    setTimeout(run, ms) {
      if (!isShared) return unshared.setTimeout(run, ms);
      activityCount += 1;
      const timer = Symbol("timer");
      held.set(timer, { run, atMs: world.clock.now() + Math.ceil(ms) });
      return timer;
    },
    clearTimeout(timer) {
      if (!held.delete(timer)) unshared.clearTimeout(timer);
    },
  };

  function takeDue(untilMs: number): HeldAnswer | undefined {
    const [first] = [...held].sort(([, one], [, other]) => one.atMs - other.atMs);
    if (first === undefined || first[1].atMs > untilMs) return undefined;
    held.delete(first[0]);
    return first[1];
  }

  async function settle(): Promise<void> {
    let seen = -1;
    const isQuiet = (): boolean => seen === activityCount && sent.size === 0;
    for (let waits = 0; !isQuiet() && waits < MAX_WAITS; waits += 1) {
      seen = activityCount;
      await sleep(quietMs);
    }
    // An answer that hasn't arrived by now never does.
    sent.clear();
  }

  /** Waits for what the pages do next, unless this was a piece of a slow answer, which only sets a timer for the next piece. */
  async function release({ run }: HeldAnswer): Promise<void> {
    const seen = activityCount;
    run();
    await setImmediate();
    if (activityCount === seen) await settle();
  }

  return {
    timers,
    noteActivity() {
      activityCount += 1;
    },
    noteSent: (request) => void sent.add(request),
    noteArrived(request) {
      activityCount += 1;
      sent.delete(request);
    },
    async share(pages) {
      const { clock } = world;
      if (clock.mode !== "frozen") {
        throw new InputError("simOptions.clock", 'must be "frozen" in a test that uses `advance`');
      }
      const movePages = await stopPages(pages, clock.now());
      isShared = true;

      /** The world first, so that it isn't behind a page that waited for a quota. */
      async function moveTo(instantMs: number): Promise<void> {
        if (instantMs > clock.now()) clock.advance(instantMs - clock.now());
        const began = performance.now();
        await movePages(clock.now());
        const callsMs = QUIET_CALLS * (performance.now() - began);
        quietMs = Math.min(QUIET_MS.most, Math.max(QUIET_MS.least, callsMs));
      }

      async function moveBy(ms: number): Promise<number> {
        // What the pages are about to send comes first.
        await moveTo(clock.now());
        await settle();
        const startMs = clock.now();
        const steps = Math.max(1, Math.min(MAX_STEPS, ms));
        for (let step = 1; step <= steps; step += 1) {
          const endMs = startMs + Math.ceil((ms * step) / steps);
          for (let due = takeDue(endMs); due !== undefined; due = takeDue(endMs)) {
            await moveTo(due.atMs);
            await release(due);
          }
          await moveTo(endMs);
          await settle();
        }
        return clock.now();
      }

      let previous: Promise<unknown> = Promise.resolve();
      return async (by) => {
        const ms = durationMs(by);
        const moved = previous.then(() => moveBy(ms));
        previous = moved.catch(() => undefined);
        return await moved;
      };
    },
  };
}

/** @returns a function that moves the pages' clocks to an instant. It leaves them where they are if they are past it. */
async function stopPages(
  pages: PageClock,
  startMs: number,
): Promise<(instantMs: number) => Promise<void>> {
  // A clock runs from `install` to `pauseAt`, and then can't be set back.
  await pages.install({ time: startMs - HOUR_MS });
  await pages.pauseAt(startMs);
  let pagesMs = startMs;
  return async (instantMs) => {
    const ms = Math.max(0, instantMs - pagesMs);
    pagesMs += ms;
    // Every tick of a page's interval takes real time. A month of them would take hours.
    if (ms > HOUR_MS) await pages.fastForward(ms - HOUR_MS);
    await pages.runFor(Math.min(ms, HOUR_MS));
  };
}

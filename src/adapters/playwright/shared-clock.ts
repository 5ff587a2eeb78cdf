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

/** After so many real milliseconds without a request, pages are taken to wait for a timer. */
const QUIET_MS = 30;
/** A page that asks again and again without a pause is never quiet, and an answer to a page that has gone never arrives. */
const MAX_WAITS = 50;
/** A page that sets a timer after each answer gets its next answer at least once in each of these steps. */
const MAX_STEPS = 10;

export class SharedClock {
  readonly #clock: Clock;
  /** What waits for the pages' time, once they share the world's. */
  readonly #held = new Map<unknown, { readonly atMs: number; readonly run: () => void }>();
  /** Requests whose answers are on their way to their pages: time waits for them. */
  readonly sent = new Set<unknown>();
  #isShared = false;
  #activity = 0;

  /** For answers that wait. */
  readonly timers: Timers = {
    setTimeout: (run, ms) => {
      if (!this.#isShared) return globalTimers.setTimeout(run, ms);
      const timer = Symbol("timer");
      this.#held.set(timer, { run, atMs: this.#clock.now() + Math.ceil(ms) });
      this.noteActivity();
      return timer;
    },
    clearTimeout: (timer) => {
      if (!this.#held.delete(timer)) globalTimers.clearTimeout(timer as NodeJS.Timeout);
    },
  };

  constructor(world: { readonly clock: Clock }) {
    this.#clock = world.clock;
  }

  /** Call it when a request comes, and when its page has the answer. */
  noteActivity(): void {
    this.#activity += 1;
  }

  /** Stops the clocks of the pages at the world's time. @throws InputError (as a rejection) if the world's clock runs. */
  async share(pages: PageClock): Promise<Advance> {
    if (this.#clock.mode !== "frozen") {
      throw new InputError("simOptions.clock", 'must be "frozen" in a test that uses `advance`');
    }
    let pagesMs = this.#clock.now();
    // A clock runs from `install` to `pauseAt`, and then can't be set back.
    await pages.install({ time: pagesMs - HOUR_MS });
    await pages.pauseAt(pagesMs);
    this.#isShared = true;
    /** The world first, so that it isn't behind a page that waited for a quota. */
    const moveTo = async (instantMs: number): Promise<void> => {
      this.#clock.advance(Math.max(0, instantMs - this.#clock.now()));
      const ms = Math.max(0, this.#clock.now() - pagesMs);
      pagesMs += ms;
      // Every tick of a page's interval takes real time. A month of them would take hours.
      if (ms > HOUR_MS) await pages.fastForward(ms - HOUR_MS);
      await pages.runFor(Math.min(ms, HOUR_MS));
    };
    let previous: Promise<unknown> = Promise.resolve();
    return async (by) => {
      const ms = durationMs(by);
      const moved = previous.then(() => this.#moveBy(ms, moveTo));
      previous = moved.catch(() => undefined);
      return await moved;
    };
  }

  async #moveBy(ms: number, moveTo: (instantMs: number) => Promise<void>): Promise<number> {
    // What the pages are about to send comes first.
    await moveTo(this.#clock.now());
    await this.#settle();
    const startMs = this.#clock.now();
    const steps = Math.max(1, Math.min(MAX_STEPS, ms));
    for (let step = 1; step <= steps; step += 1) {
      const endMs = startMs + Math.ceil((ms * step) / steps);
      for (let due = this.#takeDue(endMs); due !== undefined; due = this.#takeDue(endMs)) {
        await moveTo(due.atMs);
        const seen = this.#activity;
        due.run();
        await setImmediate();
        // A piece of a slow answer only sets a timer for the next piece.
        if (this.#activity === seen) await this.#settle();
      }
      await moveTo(endMs);
      await this.#settle();
    }
    return this.#clock.now();
  }

  #takeDue(untilMs: number) {
    const [first] = [...this.#held].sort(([, one], [, other]) => one.atMs - other.atMs);
    if (first === undefined || first[1].atMs > untilMs) return undefined;
    this.#held.delete(first[0]);
    return first[1];
  }

  /** Waits until the pages have their answers and ask for nothing more. */
  async #settle(): Promise<void> {
    let seen = -1;
    for (let waits = 0; waits < MAX_WAITS; waits += 1) {
      if (seen === this.#activity && this.sent.size === 0) return;
      seen = this.#activity;
      await sleep(QUIET_MS);
    }
    // An answer that hasn't arrived by now never does.
    this.sent.clear();
  }
}

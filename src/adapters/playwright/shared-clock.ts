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

/** After so many real milliseconds without a request, pages are taken to wait for a timer. */
const QUIET_MS = 50;
/** A page that asks again and again is never quiet. */
const MAX_WAITS = 50;
/** A page that sets a timer after each answer gets its next answer at least once in each of these steps. */
const MAX_STEPS = 10;

type Held = { readonly atMs: number; readonly run: () => void };

export class SharedClock {
  readonly #clock: Clock;
  readonly #held = new Set<Held>();
  #pages: PageClock | undefined;
  #pagesMs = 0;
  /** Counts requests, and answers that have reached their pages. */
  activity = 0;

  /** For answers that wait. */
  readonly timers: Timers = {
    setTimeout: (run, ms) => {
      if (this.#pages === undefined) return globalTimers.setTimeout(run, ms);
      const timer: Held = { run, atMs: this.#clock.now() + Math.ceil(ms) };
      this.#held.add(timer);
      return timer;
    },
    clearTimeout: (timer) => {
      if (!this.#held.delete(timer as Held)) globalTimers.clearTimeout(timer as NodeJS.Timeout);
    },
  };

  constructor(world: { readonly clock: Clock }) {
    this.#clock = world.clock;
  }

  /** Stops the clocks of the pages at the world's time. @throws InputError (as a rejection) if the world's clock runs. */
  async share(pages: PageClock): Promise<Advance> {
    if (this.#clock.mode !== "frozen") {
      throw new InputError("simOptions.clock", 'must be "frozen" in a test that uses `advance`');
    }
    this.#pagesMs = this.#clock.now();
    // A clock runs from `install` to `pauseAt`, and then can't be set back.
    await pages.install({ time: this.#pagesMs - HOUR_MS });
    await pages.pauseAt(this.#pagesMs);
    this.#pages = pages;
    return async (by) => await this.#advance(pages, durationMs(by));
  }

  async #advance(pages: PageClock, ms: number): Promise<number> {
    const startMs = this.#clock.now();
    // What the pages are about to send comes first.
    await this.#moveTo(startMs, pages);
    const steps = Math.min(MAX_STEPS, ms);
    for (let step = 1; step <= steps; step += 1) {
      const endMs = startMs + Math.ceil((ms * step) / steps);
      for (let due = this.#first(); due && due.atMs <= endMs; due = this.#first()) {
        await this.#moveTo(due.atMs, pages);
        if (this.#held.delete(due)) due.run();
        await this.#settle();
      }
      await this.#moveTo(endMs, pages);
    }
    return this.#clock.now();
  }

  #first(): Held | undefined {
    return [...this.#held].sort((one, other) => one.atMs - other.atMs)[0];
  }

  /** The world first, so that it isn't behind a page that waited for a quota. */
  async #moveTo(instantMs: number, pages: PageClock): Promise<void> {
    this.#clock.advance(Math.max(0, instantMs - this.#clock.now()));
    const ms = Math.max(0, this.#clock.now() - this.#pagesMs);
    this.#pagesMs += ms;
    // Every tick of a page's interval takes real time. A month of them would take hours.
    if (ms > HOUR_MS) await pages.fastForward(ms - HOUR_MS);
    await pages.runFor(Math.min(ms, HOUR_MS));
    await this.#settle();
  }

  /** Waits until the pages have their answers and ask for nothing more. */
  async #settle(): Promise<void> {
    for (let waits = 0; waits < MAX_WAITS; waits += 1) {
      const seen = this.activity;
      await sleep(QUIET_MS);
      if (seen === this.activity) return;
    }
  }
}

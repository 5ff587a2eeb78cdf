/** How the queueing and the direct client send: in an encoding that the service reads, and not before a limit allows it. */

import type { DriverContext } from "../../../src/testing/driver/driver.ts";
import {
  type ApiCall,
  encodings,
  exchange,
  type Got,
  MAX_TIMER_MS,
  type Pool,
  retryAfter,
} from "./wire.ts";

export type Answer =
  | { readonly kind: "done"; readonly value: unknown }
  /** It is no use to send the same again. */
  | { readonly kind: "refused"; readonly status: number }
  /** Certainly not applied. It may be sent again when the pause is over. */
  | { readonly kind: "limited"; readonly status: number }
  /** It may have been applied. */
  | { readonly kind: "unclear"; readonly status: number | undefined };

/** Every limit is per minute (spec §8). */
const UNTOLD_PAUSE_MS = 60_000;
/** How long a call takes at most, besides the pauses that the service demands. */
const DEADLINE_MS = 300_000;

interface Pause {
  untilMs: number;
  /** The sum of all pauses that the service has demanded. */
  demandedMs: number;
}

export class Transport {
  readonly #context: DriverContext;
  /** Each limit has its own. */
  readonly #pauses: Record<Pool, Pause> = {
    recording: { untilMs: 0, demandedMs: 0 },
    reporting: { untilMs: 0, demandedMs: 0 },
  };
  #encoding = 0;
  #isKeyRefused = false;

  constructor(context: DriverContext) {
    this.#context = context;
  }

  /** Waits for the pool's pause, then sends. Rejects only if the signal is aborted. */
  async send(call: ApiCall, signal: AbortSignal): Promise<Answer> {
    for (let tried = 1; ; tried += 1) {
      if (!this.#isKeyRefused) await this.#pauseOver(call.pool, signal);
      if (this.#isKeyRefused) return { kind: "refused", status: 401 };
      const encoding = this.#encoding;
      const got = await exchange(this.#context, call, encodings[encoding], signal);
      signal.throwIfAborted();
      if (got?.status !== 415 || tried === encodings.length) return this.#answerOf(call, got);
      // Of several calls at once, the first one changes it.
      if (this.#encoding === encoding) this.#encoding = (encoding + 1) % encodings.length;
    }
  }

  /** Rejects if the signal is aborted first. */
  async sleepUntil(atMs: number, signal: AbortSignal): Promise<void> {
    const { timers } = this.#context;
    signal.throwIfAborted();
    while (timers.now() < atMs) {
      const delayMs = Math.min(atMs - timers.now(), MAX_TIMER_MS);
      await new Promise<void>((resolve, reject) => {
        const wake = (): void => {
          signal.removeEventListener("abort", cancel);
          resolve();
        };
        const timer = timers.setTimeout(wake, delayMs);
        const cancel = (): void => {
          timers.clearTimeout(timer);
          reject(signal.reason);
        };
        signal.addEventListener("abort", cancel, { once: true });
      });
    }
  }

  /** Aborts when a call that begins now has taken too long. Pauses that the service demands don't count. */
  deadline(pool: Pool): { readonly signal: AbortSignal; cancel(): void } {
    const { timers } = this.#context;
    const pause = this.#pauses[pool];
    const controller = new AbortController();
    const nowMs = timers.now();
    const demandedBeforeMs = pause.demandedMs - Math.max(0, pause.untilMs - nowMs);
    const check = (): void => {
      const demandedMs = pause.demandedMs - demandedBeforeMs;
      const leftMs = nowMs + DEADLINE_MS + demandedMs - timers.now();
      if (leftMs <= 0) controller.abort(new Error("It took too long."));
      else timer = timers.setTimeout(check, Math.min(leftMs, MAX_TIMER_MS));
    };
    let timer = timers.setTimeout(check, DEADLINE_MS);
    return { signal: controller.signal, cancel: () => timers.clearTimeout(timer) };
  }

  async #pauseOver(pool: Pool, signal: AbortSignal): Promise<void> {
    const pause = this.#pauses[pool];
    // Another answer may make it longer meanwhile.
    while (pause.untilMs > this.#context.timers.now()) await this.sleepUntil(pause.untilMs, signal);
    signal.throwIfAborted();
  }

  #answerOf(call: ApiCall, got: Got | undefined): Answer {
    if (got === undefined) return { kind: "unclear", status: undefined };
    const { status, headers, body } = got;
    if (status === 200 && call.isAnswer(body)) return { kind: "done", value: body };
    if (status < 400) return { kind: "unclear", status };
    const nowMs = this.#context.timers.now();
    const untilMs = retryAfter(headers, nowMs);
    const hasHint = untilMs !== undefined || headers.get("x-ratelimit-remaining") === "0";
    const isLimit = status === 429 || ((status === 403 || status === 503) && hasHint);
    if (isLimit) {
      this.#pause(call.pool, untilMs ?? nowMs + UNTOLD_PAUSE_MS);
      return { kind: "limited", status };
    }
    if (status === 401) this.#isKeyRefused = true;
    if (status < 500 && status !== 408) return { kind: "refused", status };
    if (untilMs !== undefined) this.#pause(call.pool, untilMs);
    return { kind: "unclear", status };
  }

  /** A later hint never makes a pause shorter. */
  #pause(pool: Pool, untilMs: number): void {
    const pause = this.#pauses[pool];
    const fromMs = Math.max(pause.untilMs, this.#context.timers.now());
    if (untilMs <= fromMs) return;
    pause.demandedMs += untilMs - fromMs;
    pause.untilMs = untilMs;
  }
}

/**
 * A client whose calls resolve only with the service's answer. Many calls may be under way: they wait for a place among the
 * few requests that it sends at once, for the end of a pause, or for the probe after an outage. It is correct;
 * `calling-defects.txt` lists what could be wrong with it.
 */

import type { CreateDriver, DriverContext } from "../../../src/testing/driver/driver.ts";
import {
  type ApiCall,
  callsOf,
  encodings,
  exchange,
  type Got,
  MAX_TIMER_MS,
  type Pool,
  type Receipt,
  retryAfter,
} from "./wire.ts";

const MAX_AT_ONCE = 4;
const MAX_ATTEMPTS = 4;
const FIRST_PAUSE_MS = 1000;
const UNTOLD_PAUSE_MS = 60_000;
/** After so many failures in a row the service counts as down: only a probe is sent now and then. */
const DOWN_AFTER = 6;
const PROBE_MS = 10_000;
const LONGEST_REST_MS = 120_000;
/** For how long a call is tried, besides the pauses that the service demands. */
const PATIENCE_MS = 240_000;

class CallError extends Error {
  readonly status: number | undefined;
  constructor(message: string, status?: number) {
    super(message);
    this.status = status;
  }
}

class CallingClient {
  readonly #context: DriverContext;
  /** A pause that the service demands holds for all calls that count against the same limit. */
  readonly #quietUntilMs: Record<Pool, number> = { recording: 0, reporting: 0 };
  /** Calls that wait until something changes. */
  #waiting: (() => void)[] = [];
  #underWay = 0;
  #failures = 0;
  #restUntilMs = 0;
  #isProbing = false;
  #encoding = 0;
  #refusal: CallError | undefined;
  #calls = 0;
  #isClosed = false;

  constructor(context: DriverContext) {
    this.#context = context;
  }

  async call(call: ApiCall): Promise<unknown> {
    if (this.#isClosed) throw new CallError("The client is closed.");
    this.#calls += 1;
    try {
      return await this.#delivered(call);
    } finally {
      this.#calls -= 1;
      this.#wakeAll();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    while (this.#calls > 0) await this.#change();
  }

  async #delivered(call: ApiCall): Promise<unknown> {
    const patience = { untilMs: this.#context.timers.now() + PATIENCE_MS };
    for (let attempt = 1; ; ) {
      const isProbe = await this.#turn(call.pool, patience);
      const encoding = this.#encoding;
      const got = await exchange(this.#context, call, encodings[encoding]);
      this.#underWay -= 1;
      const how = this.#learnFrom(call, got);
      if (isProbe) this.#isProbing = false;
      this.#wakeAll();
      if (how === "done") return got?.body;
      if (how === "unread" && encoding < encodings.length - 1) {
        this.#encoding = Math.max(this.#encoding, encoding + 1);
        continue;
      }
      // A view that comes twice is recognised by its session (spec §4), a click isn't.
      const mayCountTwice = how === "unclear" && call.path === "/v1/click";
      const isFinal = how === "refused" || how === "unread" || mayCountTwice;
      if (isFinal || attempt >= MAX_ATTEMPTS)
        throw new CallError(`${call.path}: ${got?.status ?? "no answer"}`, got?.status);
      if (how === "unclear") await this.#backOff(attempt);
      attempt += 1;
    }
  }

  async #backOff(attempt: number): Promise<void> {
    await this.#sleep(FIRST_PAUSE_MS * 2 ** (attempt - 1) * (1 + this.#context.random() / 4));
  }

  /** Waits until a request may be sent, and takes a place for it. @returns whether it is the probe after an outage. */
  async #turn(pool: Pool, patience: { untilMs: number }): Promise<boolean> {
    const { now } = this.#context.timers;
    for (;;) {
      if (this.#refusal !== undefined) throw this.#refusal;
      const quietMs = this.#quietUntilMs[pool] - now();
      const isDown = this.#failures >= DOWN_AFTER;
      if (quietMs > 0) {
        await this.#sleep(quietMs);
        patience.untilMs += quietMs;
      } else if (isDown && (this.#isProbing || this.#restUntilMs > now())) {
        const leftMs = patience.untilMs - now();
        if (pool === "reporting" || leftMs <= 0) throw new CallError("The service is down.");
        const restMs = this.#isProbing ? PROBE_MS : this.#restUntilMs - now();
        await this.#sleep(Math.min(restMs, leftMs));
      } else if (this.#underWay >= MAX_AT_ONCE) {
        await this.#change();
      } else {
        return this.#taken(isDown);
      }
    }
  }

  #taken(isProbe: boolean): boolean {
    this.#underWay += 1;
    this.#isProbing = isProbe;
    return isProbe;
  }

  #learnFrom(
    { pool, isAnswer }: ApiCall,
    got: Got | undefined,
  ): "done" | "refused" | "unread" | "limited" | "unclear" {
    if (got === undefined) return this.#failed();
    const { status, headers, body } = got;
    if (status === 200 && isAnswer(body)) {
      this.#failures = 0;
      return "done";
    }
    const { now } = this.#context.timers;
    const untilMs = status < 400 ? undefined : retryAfter(headers, now());
    const isOver = headers.get("x-ratelimit-remaining") === "0";
    const isLimit = status === 429 || (isOver && (status === 403 || status === 503));
    const quietUntilMs = untilMs ?? (isLimit ? now() + UNTOLD_PAUSE_MS : 0);
    this.#quietUntilMs[pool] = Math.max(this.#quietUntilMs[pool], quietUntilMs);
    if (isLimit) return "limited";
    if (status < 400 || status >= 500 || status === 408) return this.#failed();
    this.#failures = 0;
    if (status === 401) this.#refusal = new CallError("The key was refused.", status);
    return status === 415 ? "unread" : "refused";
  }

  #failed(): "unclear" {
    this.#failures += 1;
    const restMs = 20_000 * 2 ** (this.#failures - DOWN_AFTER);
    this.#restUntilMs = this.#context.timers.now() + Math.min(restMs, LONGEST_REST_MS);
    return "unclear";
  }

  /** Resolves when a call ends or a place becomes free. */
  #change(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #wakeAll(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }

  async #sleep(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#context.timers.setTimeout(resolve, Math.min(Math.max(1, ms), MAX_TIMER_MS));
    });
  }
}

export const createCallingDriver: CreateDriver<Receipt> = (context) => {
  const client = new CallingClient(context);
  const calls = callsOf(context);
  return {
    maxAtOnce: MAX_AT_ONCE,
    impression: async (shown) => (await client.call(calls.impression(shown))) as Receipt,
    click: ({ impression_id }) => client.call(calls.click(impression_id)),
    stats: (query) => client.call(calls.stats(query)),
    surfaces: () => client.call(calls.surfaces()),
    payouts: (query) => client.call(calls.payouts(query)),
    close: () => client.close(),
  };
};

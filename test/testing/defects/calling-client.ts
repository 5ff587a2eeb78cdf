/**
 * A client whose calls resolve only with the service's answer. Many calls may be under way: they wait for a place among the
 * few requests that it sends at once, for the end of a pause, or for the probe after an outage. It is correct;
 * `calling-defects.ts` lists what could be wrong with it.
 */

import type { CreateDriver, DriverContext, Shown } from "../../../src/contract.ts";
import {
  isClickAnswer,
  isImpressionAnswer,
  isPayoutsAnswer,
  isStatsAnswer,
  isSurfacesAnswer,
} from "./queueing-answers.ts";

type Pool = "recording" | "reporting";

interface ApiCall {
  readonly pool: Pool;
  readonly path: string;
  readonly values: Readonly<Record<string, unknown>>;
  readonly isAnswer: (body: unknown) => boolean;
  /** Whether it may be sent again although the service may have processed it. */
  readonly isRepeatable: boolean;
}

interface Got {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

const MAX_AT_ONCE = 4;
const MAX_ATTEMPTS = 4;
const TIMEOUT_MS = 10_000;
const FIRST_PAUSE_MS = 1000;
const UNTOLD_PAUSE_MS = 60_000;
/** After so many failures in a row the service counts as down: only a probe is sent now and then. */
const DOWN_AFTER = 6;
const LONGEST_REST_MS = 120_000;
/** For how long a call is tried, besides the pauses that the service demands. */
const PATIENCE_MS = 240_000;
const MAX_TIMER_MS = 0x7fff_ffff;
const encodings = ["json", "form", "query"] as const;

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
      const got = await this.#exchange(call);
      this.#underWay -= 1;
      if (isProbe) this.#isProbing = false;
      const how = this.#learnFrom(call, got);
      this.#wakeAll();
      if (how === "done") return got?.body;
      if (how === "unread" && encoding < encodings.length - 1) {
        this.#encoding = Math.max(this.#encoding, encoding + 1);
        continue;
      }
      const error = new CallError(`${call.path}: ${got?.status ?? "no answer"}`, got?.status);
      if (how === "refused" || how === "unread") throw error;
      if (how === "unclear" && !call.isRepeatable) throw error;
      if (attempt >= MAX_ATTEMPTS) throw error;
      if (how === "unclear") await this.#backOff(attempt);
      attempt += 1;
    }
  }

  async #backOff(attempt: number): Promise<void> {
    const { random } = this.#context;
    await this.#sleep(FIRST_PAUSE_MS * 2 ** (attempt - 1) * (1 + random() / 4));
  }

  /** Waits until a request may be sent, and takes a place for it. @returns whether it is the probe after an outage. */
  async #turn(pool: Pool, patience: { untilMs: number }): Promise<boolean> {
    const { now } = this.#context.timers;
    for (;;) {
      if (this.#refusal !== undefined) throw this.#refusal;
      const quietMs = this.#quietUntilMs[pool] - now();
      if (quietMs > 0) {
        await this.#sleep(quietMs);
        patience.untilMs += quietMs;
        continue;
      }
      const isDown = this.#failures >= DOWN_AFTER;
      if (isDown && (this.#isProbing || this.#restUntilMs > now())) {
        const leftMs = patience.untilMs - now();
        if (pool === "reporting" || leftMs <= 0) throw new CallError("The service is down.");
        const restMs = this.#isProbing ? TIMEOUT_MS : this.#restUntilMs - now();
        await this.#sleep(Math.min(restMs, leftMs));
        continue;
      }
      if (this.#underWay >= MAX_AT_ONCE) {
        await this.#change();
        continue;
      }
      this.#underWay += 1;
      this.#isProbing = isDown;
      return isDown;
    }
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
    const untilMs = status < 400 ? undefined : untilOf(headers, now());
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
    const { timers } = this.#context;
    await new Promise<void>((resolve) => {
      timers.setTimeout(resolve, Math.min(Math.max(1, ms), MAX_TIMER_MS));
    });
  }

  async #exchange({ path, values, pool }: ApiCall): Promise<Got | undefined> {
    const { baseUrl, apiKey, fetch, timers } = this.#context;
    const aborting = new AbortController();
    const timer = timers.setTimeout(() => aborting.abort(), TIMEOUT_MS);
    const given = Object.entries(values).filter(([, value]) => value !== undefined);
    const pairs = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
    const encoding = pool === "reporting" ? "query" : encodings[this.#encoding];
    const type = encoding === "json" ? "application/json" : "application/x-www-form-urlencoded";
    const body = encoding === "json" ? JSON.stringify(Object.fromEntries(given)) : String(pairs);
    try {
      const response = await fetch(`${baseUrl}${path}${encoding === "query" ? `?${pairs}` : ""}`, {
        method: pool === "reporting" ? "GET" : "POST",
        headers: {
          authorization: `Bearer ${apiKey}`,
          ...(encoding !== "query" && { "content-type": type }),
        },
        ...(encoding !== "query" && { body }),
        signal: aborting.signal,
      });
      const { status, headers } = response;
      return { status, headers, body: parsed(await response.text()) };
    } catch {
      return undefined;
    } finally {
      timers.clearTimeout(timer);
    }
  }
}

/** The moment that Retry-After names, in seconds or as an HTTP-date. */
function untilOf(headers: Headers, nowMs: number): number | undefined {
  const hint = headers.get("retry-after")?.trim() ?? "";
  if (/^\d+$/.test(hint)) return nowMs + Number(hint) * 1000;
  const atMs = Date.parse(hint);
  return Number.isNaN(atMs) ? undefined : atMs;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface Receipt {
  readonly impression_id: string;
}

export const createCallingDriver: CreateDriver<Receipt> = (context) => {
  const client = new CallingClient(context);
  const { publisherId: publisher_id, surfaces } = context;
  const record = (path: string, values: ApiCall["values"], isAnswer: ApiCall["isAnswer"]) =>
    client.call({ pool: "recording", path, values, isAnswer, isRepeatable: path !== "/v1/click" });
  const ask = (name: string, query: object, isAnswer: ApiCall["isAnswer"]) =>
    client.call({
      pool: "reporting",
      path: `/v1/publisher/${name}`,
      values: { publisher_id, ...query },
      isAnswer,
      isRepeatable: true,
    });
  return {
    maxAtOnce: MAX_AT_ONCE,
    impression: async ({ surface, ad, session }: Shown) => {
      const values = { publisher_id, surface, ad_id: ad, session_id: session };
      return (await record("/v1/impression", values, isImpressionAnswer)) as Receipt;
    },
    click: ({ impression_id }) => record("/v1/click", { impression_id }, isClickAnswer),
    stats: (query) => ask("stats", query, isStatsAnswer(publisher_id)),
    surfaces: () => ask("surfaces", {}, isSurfacesAnswer(surfaces)),
    payouts: (query) => ask("payouts", query, isPayoutsAnswer),
    close: () => client.close(),
  };
};

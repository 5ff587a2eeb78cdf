/** A client that does everything right in a few ways. `patient-defects.ts` lists what could be wrong with it. */

import type {
  CreateDriver,
  DriverContext,
  Shown,
  Undelivered,
} from "../../../src/testing/driver/driver.ts";
import {
  type ApiCall,
  callsOf,
  encodings,
  exchange,
  type Got,
  type Pool,
  type Receipt,
  retryAfter,
} from "../defects/wire.ts";

/** Each is another way to be right. */
export interface Habits {
  /** How often a request is repeated. With 0 it doesn't wait either: that is up to the caller. @default 5 */
  readonly repeats?: number;
  /** Whether events wait for a flush, or for the end. @default false: a call ends with the service's answer */
  readonly queues?: boolean;
  /** How many queries it has under way at once. The others wait. @default any number */
  readonly queriesAtOnce?: number;
}

class Refused extends Error {
  readonly status: number | undefined;
  constructor(status: number | undefined) {
    super(status === undefined ? "no answer" : `refused: ${status}`);
    this.status = status;
  }
}

type Kind = keyof Undelivered;

class PatientClient {
  readonly #context: DriverContext;
  readonly #habits: Required<Habits>;
  readonly #untilMs: Record<Pool, number> = { recording: 0, reporting: 0 };
  readonly #queue: { readonly kind: Kind; readonly send: () => Promise<void> }[] = [];
  readonly #undelivered = { impressions: 0, clicks: 0 };
  readonly #waiting: (() => void)[] = [];
  readonly #underWay = new Set<Promise<unknown>>();
  #delivering: Promise<void> = Promise.resolve();
  #places: number;
  #encoding = 0;
  #refusal: Refused | undefined;
  #isClosed = false;

  constructor(context: DriverContext, habits: Required<Habits>) {
    this.#context = context;
    this.#habits = habits;
    this.#places = habits.queriesAtOnce;
  }

  /** Sends an event, or queues it. */
  async event(kind: Kind, callOf: () => ApiCall): Promise<Partial<Receipt>> {
    const receipt: Partial<Receipt> = {};
    const send = async (): Promise<void> => {
      Object.assign(receipt, await this.#answerTo(callOf()));
    };
    if (this.#isClosed) throw new Error("The client is closed.");
    if (this.#habits.queues) this.#queue.push({ kind, send });
    else await this.#tracked(send());
    return receipt;
  }

  async query(call: ApiCall): Promise<unknown> {
    if (this.#isClosed) throw new Error("The client is closed.");
    return await this.#tracked(this.#answerInTurn(call));
  }

  async #answerInTurn(call: ApiCall): Promise<unknown> {
    if (this.#places > 0) this.#places -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await this.#answerTo(call);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#places += 1;
      else next();
    }
  }

  /** Closing waits for this work. */
  async #tracked<Value>(work: Promise<Value>): Promise<Value> {
    this.#underWay.add(work);
    return await work.finally(() => this.#underWay.delete(work));
  }

  /** Resolves with what was given up meanwhile. */
  async flush(): Promise<Undelivered> {
    const before = { ...this.#undelivered };
    this.#delivering = this.#delivering.then(() => this.#deliver());
    await this.#delivering;
    const { impressions, clicks } = this.#undelivered;
    return { impressions: impressions - before.impressions, clicks: clicks - before.clicks };
  }

  async close(): Promise<Undelivered> {
    this.#isClosed = true;
    await this.flush();
    await Promise.allSettled(this.#underWay);
    return { ...this.#undelivered };
  }

  async #deliver(): Promise<void> {
    for (const { kind, send } of this.#queue.splice(0)) {
      await send().catch(() => {
        this.#undelivered[kind] += 1;
      });
    }
  }

  /** Repeats with growing pauses, and waits when it is told to. @throws Refused */
  async #answerTo(call: ApiCall): Promise<unknown> {
    const { repeats } = this.#habits;
    const { timers, random } = this.#context;
    for (let attempt = 0; ; attempt += 1) {
      while (repeats > 0 && this.#untilMs[call.pool] > timers.now())
        await this.#pause(this.#untilMs[call.pool] - timers.now());
      if (this.#refusal !== undefined) throw this.#refusal;
      const got = await this.#exchange(call);
      if (got?.status === 200 && call.isAnswer(got.body)) return got.body;
      const { status = 0, headers = new Headers() } = got ?? {};
      const failure = new Refused(got?.status);
      const isOver = headers.get("x-ratelimit-remaining") === "0";
      const isLimit = status === 429 || (isOver && (status === 403 || status === 503));
      const isFinal = status >= 400 && status < 500 && status !== 408 && !isLimit;
      if (status === 401 && repeats > 0) this.#refusal = failure;
      const untilMs = status >= 400 ? retryAfter(headers, timers.now()) : undefined;
      this.#untilMs[call.pool] = Math.max(this.#untilMs[call.pool], untilMs ?? 0);
      const mayCountTwice = call.path === "/v1/click" && !isLimit;
      if (isFinal || mayCountTwice || attempt === repeats) throw failure;
      if (untilMs === undefined) await this.#pause(1000 * 2 ** attempt * (0.5 + random() / 2));
    }
  }

  /** In the next encoding if the service doesn't read this one. */
  async #exchange(call: ApiCall): Promise<Got | undefined> {
    for (;;) {
      const encoding = this.#encoding;
      const got = await exchange(this.#context, call, encodings[encoding]);
      if (got?.status !== 415 || encoding === encodings.length - 1) return got;
      // Another request may have gone on to the next one meanwhile.
      this.#encoding = Math.max(this.#encoding, encoding + 1);
    }
  }

  async #pause(ms: number): Promise<void> {
    await new Promise<void>((resolve) => this.#context.timers.setTimeout(resolve, ms));
  }
}

/** A client with these habits. */
export function patientClient(habits: Habits = {}): CreateDriver<Partial<Receipt>> {
  return (context) => {
    const all = { repeats: 5, queues: false, queriesAtOnce: Number.POSITIVE_INFINITY, ...habits };
    const client = new PatientClient(context, all);
    const calls = callsOf(context);
    return {
      maxAttempts: all.repeats + 1,
      impression: (shown: Shown) => client.event("impressions", () => calls.impression(shown)),
      click: (receipt) =>
        client.event("clicks", () => {
          if (receipt.impression_id === undefined) throw new Refused(undefined);
          return calls.click(receipt.impression_id);
        }),
      stats: (query) => client.query(calls.stats(query)),
      surfaces: () => client.query(calls.surfaces()),
      payouts: (query) => client.query(calls.payouts(query)),
      ...(all.queues && { flush: () => client.flush() }),
      close: () => client.close(),
    };
  };
}

/** Tries once, reports the outcome, and remembers nothing. */
export const onceOnly: CreateDriver<Partial<Receipt>> = patientClient({ repeats: 0 });

export const createPatientDriver: CreateDriver<Partial<Receipt>> = patientClient();
export const createPatientQueueDriver: CreateDriver<Partial<Receipt>> = patientClient({
  queues: true,
});

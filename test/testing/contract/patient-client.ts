/** A client that does everything right, in a few ways. `patient-defects.txt` lists what could be wrong with it. */

import type {
  CreateDriver,
  DriverContext,
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
interface Habits {
  /** How often a request is repeated. With 0 it doesn't wait either: that is up to the caller. @default 5 */
  readonly repeats?: number;
  /** Whether events wait for a flush, or for the end. @default false: a call ends with the service's answer */
  readonly queues?: boolean;
}

class Refused extends Error {
  readonly status: number | undefined;
  constructor(status?: number) {
    super(status === undefined ? "no answer" : `refused: ${status}`);
    this.status = status;
  }
}

class PatientClient {
  readonly #context: DriverContext;
  readonly #repeats: number;
  readonly #untilMs: Record<Pool, number> = { recording: 0, reporting: 0 };
  readonly #queue: { readonly kind: keyof Undelivered; readonly send: () => Promise<void> }[] = [];
  readonly #undelivered = { impressions: 0, clicks: 0 };
  readonly #underWay = new Set<Promise<unknown>>();
  #delivering: Promise<void> = Promise.resolve();
  #encoding = 0;
  #refusal: Refused | undefined;
  #isClosed = false;

  constructor(context: DriverContext, repeats: number) {
    this.#context = context;
    this.#repeats = repeats;
  }

  /** Resolves with what the service answers. */
  async call(call: ApiCall): Promise<unknown> {
    if (this.#isClosed) throw new Error("The client is closed.");
    const answer = this.#answerTo(call);
    this.#underWay.add(answer);
    return await answer.finally(() => this.#underWay.delete(answer));
  }

  /** Queues an event. The receipt is filled in when it is recorded. */
  enqueue(kind: keyof Undelivered, callOf: () => ApiCall): Partial<Receipt> {
    if (this.#isClosed) throw new Error("The client is closed.");
    const receipt = {};
    const send = async (): Promise<void> => {
      Object.assign(receipt, await this.#answerTo(callOf()));
    };
    this.#queue.push({ kind, send });
    return receipt;
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
    const repeats = this.#repeats;
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

function patientClient({
  repeats = 5,
  queues = false,
}: Habits = {}): CreateDriver<Partial<Receipt>> {
  return (context) => {
    const client = new PatientClient(context, repeats);
    const calls = callsOf(context);
    const event = async (
      kind: keyof Undelivered,
      callOf: () => ApiCall,
    ): Promise<Partial<Receipt>> =>
      queues ? client.enqueue(kind, callOf) : ((await client.call(callOf())) as Receipt);
    return {
      maxAttempts: repeats + 1,
      impression: (shown) => event("impressions", () => calls.impression(shown)),
      click: (receipt) => event("clicks", () => calls.click(idOf(receipt))),
      stats: (query) => client.call(calls.stats(query)),
      surfaces: () => client.call(calls.surfaces()),
      payouts: (query) => client.call(calls.payouts(query)),
      ...(queues && { flush: () => client.flush() }),
      close: () => client.close(),
    };
  };
}

/** @throws Refused if the view wasn't recorded. */
function idOf({ impression_id }: Partial<Receipt>): string {
  if (impression_id === undefined) throw new Refused();
  return impression_id;
}

/** Tries once, reports the outcome, and remembers nothing. */
export const onceOnly: CreateDriver<Partial<Receipt>> = patientClient({ repeats: 0 });
export const createPatientDriver: CreateDriver<Partial<Receipt>> = patientClient();
export const createPatientQueueDriver: CreateDriver<Partial<Receipt>> = patientClient({
  queues: true,
});

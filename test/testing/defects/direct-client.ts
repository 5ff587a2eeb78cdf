/**
 * A client without a queue, written from the specification and the page about drivers: its calls end with the service's answer,
 * while flush and close wait for the calls under way. It is correct; `direct-defects.txt` lists what could be wrong with it.
 */

import type { CreateDriver, DriverContext, Shown } from "../../../src/testing/driver/driver.ts";
import { Transport } from "./transport.ts";
import { type ApiCall, callsOf, type Receipt, type StatsQuery } from "./wire.ts";

const MAX_ATTEMPTS = 4;
const FIRST_PAUSE_MS = 1000;

class CallError extends Error {
  readonly status: number | undefined;
  constructor(path: string, status: number | undefined) {
    super(`${path} failed: ${status ?? "no answer"}`);
    this.status = status;
  }
}

class DirectClient {
  readonly #context: DriverContext;
  readonly #calls: ReturnType<typeof callsOf>;
  readonly #transport: Transport;
  readonly #ended = new AbortController();
  readonly #events = new Set<Promise<unknown>>();
  #closing: Promise<void> | undefined;

  constructor(context: DriverContext) {
    this.#context = context;
    this.#calls = callsOf(context);
    this.#transport = new Transport(context);
  }

  impression(shown: Shown): Promise<Receipt> {
    return this.#waitedFor(this.#answerTo(this.#calls.impression(shown))) as Promise<Receipt>;
  }

  click({ impression_id }: Receipt): Promise<unknown> {
    return this.#waitedFor(this.#answerTo(this.#calls.click(impression_id)));
  }

  stats(query: StatsQuery): Promise<unknown> {
    return this.#answerTo(this.#calls.stats(query));
  }

  surfaces(): Promise<unknown> {
    return this.#answerTo(this.#calls.surfaces());
  }

  payouts(query: { readonly limit?: number | undefined }): Promise<unknown> {
    return this.#answerTo(this.#calls.payouts(query));
  }

  /** Waits for the events under way. How each of them went, its own call says. */
  async flush(): Promise<void> {
    await Promise.allSettled([...this.#events]);
  }

  /** Takes nothing more, and waits for the events under way. Queries fail. */
  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    await this.flush();
    this.#ended.abort(new Error("The client is closed."));
  }

  #waitedFor<Value>(event: Promise<Value>): Promise<Value> {
    this.#events.add(event);
    const forget = (): boolean => this.#events.delete(event);
    event.then(forget, forget);
    return event;
  }

  async #answerTo(call: ApiCall): Promise<unknown> {
    if (this.#closing !== undefined) throw new Error("The client is closed.");
    const { signal } = this.#ended;
    let status: number | undefined;
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const answer = await this.#transport.send(call, signal);
      if (answer.kind === "done") return answer.value;
      status = answer.status;
      // The service recognises a view that it is told twice (spec §4), and says nothing like that about clicks.
      const mayCountTwice = call.path === "/v1/click" && answer.kind === "unclear";
      if (answer.kind === "refused" || mayCountTwice || attempt === MAX_ATTEMPTS) break;
      if (answer.kind === "limited") continue;
      const pauseMs = FIRST_PAUSE_MS * 2 ** (attempt - 1) * (1 + this.#context.random() / 5);
      await this.#transport.sleepUntil(this.#context.timers.now() + pauseMs, signal);
    }
    throw new CallError(call.path, status);
  }
}

export const createDirectDriver: CreateDriver<Receipt> = (context) => {
  const client = new DirectClient(context);
  return {
    maxAttempts: MAX_ATTEMPTS,
    impression: (shown) => client.impression(shown),
    click: (receipt) => client.click(receipt),
    stats: (query) => client.stats(query),
    surfaces: () => client.surfaces(),
    payouts: (query) => client.payouts(query),
    flush: () => client.flush(),
    close: () => client.close(),
  };
};

/**
 * A client without a queue, written from the specification and the page about drivers: its calls end with the service's answer,
 * while flush and close wait for the calls under way. It is correct; `direct-defects.ts` lists what could be wrong with it.
 */

import type { CreateDriver, DriverContext, Shown } from "../../../src/contract.ts";
import {
  isClickAnswer,
  isImpressionAnswer,
  isPayoutsAnswer,
  isStatsAnswer,
  isSurfacesAnswer,
} from "./queueing-answers.ts";
import type { StatsQuery } from "./queueing-stats.ts";
import { type ApiCall, Transport } from "./queueing-transport.ts";

const MAX_ATTEMPTS = 4;
const FIRST_PAUSE_MS = 1000;

interface ImpressionRecord {
  readonly impression_id: string;
}

class CallError extends Error {
  readonly status: number | undefined;
  constructor(path: string, status: number | undefined) {
    super(`${path} failed: ${status ?? "no answer"}`);
    this.status = status;
  }
}

class DirectClient {
  readonly #context: DriverContext;
  readonly #transport: Transport;
  readonly #ended = new AbortController();
  readonly #events = new Set<Promise<unknown>>();
  #isClosing = false;
  #closing: Promise<void> | undefined;

  constructor(context: DriverContext) {
    this.#context = context;
    this.#transport = new Transport(context);
  }

  impression({ surface, ad, session }: Shown): Promise<ImpressionRecord> {
    const { publisherId: publisher_id } = this.#context;
    const values = { publisher_id, surface, ad_id: ad, session_id: session };
    const call = recording("/v1/impression", values, isImpressionAnswer);
    return this.#waitedFor(this.#answerTo(call)) as Promise<ImpressionRecord>;
  }

  click({ impression_id }: ImpressionRecord): Promise<unknown> {
    return this.#waitedFor(
      this.#answerTo(recording("/v1/click", { impression_id }, isClickAnswer)),
    );
  }

  stats({ from, to, surface }: StatsQuery): Promise<unknown> {
    const { publisherId: publisher_id } = this.#context;
    const values = { publisher_id, from, to, surface };
    return this.#answerTo(reporting("stats", values, isStatsAnswer(publisher_id)));
  }

  surfaces(): Promise<unknown> {
    const { publisherId: publisher_id, surfaces } = this.#context;
    return this.#answerTo(reporting("surfaces", { publisher_id }, isSurfacesAnswer(surfaces)));
  }

  payouts({ limit }: { readonly limit?: number | undefined }): Promise<unknown> {
    const values = { publisher_id: this.#context.publisherId, limit: limit?.toString() };
    return this.#answerTo(reporting("payouts", values, isPayoutsAnswer));
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
    this.#isClosing = true;
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
    if (this.#isClosing) throw new Error("The client is closed.");
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

function recording(
  path: string,
  values: ApiCall["values"],
  isAnswer: ApiCall["isAnswer"],
): ApiCall {
  return { pool: "recording", method: "POST", path, values, isAnswer };
}

function reporting(
  name: string,
  values: ApiCall["values"],
  isAnswer: ApiCall["isAnswer"],
): ApiCall {
  return { pool: "reporting", method: "GET", path: `/v1/publisher/${name}`, values, isAnswer };
}

export const createDirectDriver: CreateDriver<ImpressionRecord> = (context) => {
  const client = new DirectClient(context);
  return {
    maxAttempts: MAX_ATTEMPTS,
    impression: (shown) => client.impression(shown),
    click: (record) => client.click(record),
    stats: (query) => client.stats(query),
    surfaces: () => client.surfaces(),
    payouts: (query) => client.payouts(query),
    flush: () => client.flush(),
    close: () => client.close(),
  };
};

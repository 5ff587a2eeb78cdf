/**
 * A client as a careful engineer writes it for production from the spec alone: events wait in a queue and are delivered in
 * the background, statistics are cached for a short time. It is correct; `queueing-defects.ts` lists what could be wrong
 * with it.
 */

import type { CreateDriver, DriverContext, Shown, Undelivered } from "../../../src/contract.ts";
import {
  isClickAnswer,
  isImpressionAnswer,
  isPayoutsAnswer,
  isStatsAnswer,
  isSurfacesAnswer,
} from "./queueing-answers.ts";
import { STALE_MS, StatsCache, type StatsQuery } from "./queueing-stats.ts";
import { type ApiCall, Transport } from "./queueing-transport.ts";

const MAX_QUEUED = 40;
const MAX_ATTEMPTS = 6;
const MAX_QUERY_ATTEMPTS = 3;
const MAX_QUERIES_AT_ONCE = 3;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;
/** How long a view is remembered, so that a second report of it isn't sent. */
const REMEMBERED_MS = 24 * 3_600_000;

/** What a caller gets for a view. It is filled in when the view is recorded. */
interface Receipt {
  impression_id?: string;
  revenue_credited_inr?: number;
}

interface KnownView {
  readonly receipt: Receipt;
  readonly givenAtMs: number;
  hasFailed: boolean;
}

interface QueuedEvent {
  readonly kind: "impressions" | "clicks";
  /** Undefined if it can't be sent. */
  readonly call: () => ApiCall | undefined;
  /** Whether the service recognises it if it comes twice (spec §4: only with a session_id). */
  readonly isRepeatable: boolean;
  recorded(answer: unknown): void;
  failed(): void;
}

class ApiError extends Error {
  readonly status: number | undefined;
  constructor(path: string, status: number | undefined) {
    super(`${path} failed: ${status ?? "no answer"}`);
    this.status = status;
  }
}

class QueueingClient {
  readonly #context: DriverContext;
  readonly #transport: Transport;
  readonly #cache = new StatsCache();
  readonly #ended = new AbortController();
  readonly #known = new Map<string, KnownView>();
  readonly #queue: QueuedEvent[] = [];
  readonly #undelivered = { impressions: 0, clicks: 0 };
  #reported: Undelivered = { impressions: 0, clicks: 0 };
  #delivering: Promise<void> | undefined;
  #closing: Promise<Undelivered> | undefined;
  /** Failures since the last success. */
  #failures = 0;
  #notBeforeMs = 0;
  #queries = 0;
  readonly #queryLine: (() => void)[] = [];

  constructor(context: DriverContext) {
    this.#context = context;
    this.#transport = new Transport(context);
  }

  impression({ surface, ad, session }: Shown): Receipt {
    const nowMs = this.#context.timers.now();
    const key = JSON.stringify([surface, ad, session]);
    const known = this.#known.get(key);
    const isRemembered = known && nowMs - known.givenAtMs < REMEMBERED_MS && !known.hasFailed;
    if (isRemembered) return known.receipt;
    const view: KnownView = { receipt: known?.receipt ?? {}, givenAtMs: nowMs, hasFailed: false };
    const { publisherId: publisher_id } = this.#context;
    const values = { publisher_id, surface, ad_id: ad, session_id: session };
    this.#enqueue({
      kind: "impressions",
      isRepeatable: true,
      call: () => recording("/v1/impression", values, isImpressionAnswer),
      recorded: (answer) => {
        const { impression_id, revenue_credited_inr } = answer as Required<Receipt>;
        Object.assign(view.receipt, { impression_id, revenue_credited_inr });
      },
      failed: () => {
        view.hasFailed = true;
      },
    });
    this.#forgetOldViews(nowMs);
    this.#known.delete(key);
    this.#known.set(key, view);
    return view.receipt;
  }

  click(receipt: Receipt): void {
    this.#enqueue({
      kind: "clicks",
      isRepeatable: false,
      // Events are delivered in order, so the impression has its id by now unless it failed.
      call: () => {
        const { impression_id } = receipt;
        return impression_id === undefined
          ? undefined
          : recording("/v1/click", { impression_id }, isClickAnswer);
      },
      recorded: () => {},
      failed: () => {},
    });
  }

  async stats(query: StatsQuery): Promise<unknown> {
    const { timers, publisherId: publisher_id } = this.#context;
    // While events wait, figures change at any moment.
    const cached = this.#queue.length > 0 ? undefined : this.#cache.find(query, timers.now());
    if (cached !== undefined) return structuredClone(cached);
    const { version } = this.#cache;
    const askedAtMs = timers.now();
    const { from, to, surface } = query;
    const values = { publisher_id, from, to, surface };
    const value = await this.#ask("/v1/publisher/stats", values, isStatsAnswer(publisher_id));
    this.#cache.keep(query, { value, askedAtMs, version });
    return structuredClone(value);
  }

  async surfaces(): Promise<unknown> {
    const { publisherId: publisher_id, surfaces } = this.#context;
    return await this.#ask("/v1/publisher/surfaces", { publisher_id }, isSurfacesAnswer(surfaces));
  }

  async payouts({ limit }: { readonly limit?: number | undefined }): Promise<unknown> {
    const values = { publisher_id: this.#context.publisherId, limit: limit?.toString() };
    return await this.#ask("/v1/publisher/payouts", values, isPayoutsAnswer);
  }

  /**
   * Waits until the queue is empty, but not for ever. Resolves with how many events still wait or were given up since the
   * last flush.
   */
  async flush(): Promise<Undelivered> {
    await this.#drained();
    const { impressions, clicks } = this.#undelivered;
    const before = this.#reported;
    this.#reported = { impressions, clicks };
    return {
      impressions: impressions - before.impressions + this.#waiting("impressions"),
      clicks: clicks - before.clicks + this.#waiting("clicks"),
    };
  }

  /** Delivers what it can, then ends for good. Resolves with all that was never delivered. */
  close(): Promise<Undelivered> {
    this.#closing ??= this.#drained().then(async () => {
      this.#ended.abort(new Error("The client is closed."));
      await this.#delivering;
      return { ...this.#undelivered };
    });
    return this.#closing;
  }

  #waiting(kind: QueuedEvent["kind"]): number {
    return this.#queue.filter((event) => event.kind === kind).length;
  }

  #enqueue(event: QueuedEvent): void {
    if (this.#closing !== undefined) throw new Error("The client is closed.");
    if (this.#queue.length >= MAX_QUEUED) throw new Error("Too many events are waiting.");
    this.#queue.push(event);
    this.#cache.drop();
    this.#delivering ??= this.#deliver().finally(() => {
      this.#delivering = undefined;
    });
  }

  /** One event after the other, so that they are recorded in order. */
  async #deliver(): Promise<void> {
    for (let event = this.#queue[0]; event !== undefined; event = this.#queue[0]) {
      const answer = await this.#answerTo(event).catch(() => undefined);
      this.#queue.shift();
      this.#cache.drop();
      if (answer === undefined) {
        this.#undelivered[event.kind] += 1;
        event.failed();
      } else {
        event.recorded(answer);
      }
    }
  }

  /** The service's confirmation; undefined if it refused the event or every attempt failed. */
  async #answerTo(event: QueuedEvent): Promise<unknown> {
    const { signal } = this.#ended;
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const call = event.call();
      if (call === undefined) return undefined;
      await this.#transport.sleepUntil(this.#notBeforeMs, signal);
      const answer = await this.#transport.send(call, signal);
      if (answer.kind === "done") {
        this.#failures = 0;
        return answer.value;
      }
      if (answer.kind === "refused") return undefined;
      if (answer.kind === "limited") continue;
      this.#failures += 1;
      this.#notBeforeMs = this.#context.timers.now() + this.#pauseMs(this.#failures);
      if (!event.isRepeatable) return undefined;
    }
    return undefined;
  }

  /** Doubles with each failure. Half of it is drawn, so that many clients don't come back at once. */
  #pauseMs(failures: number): number {
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);
    return pauseMs * (0.5 + this.#context.random() / 2);
  }

  async #drained(): Promise<void> {
    const { signal, cancel } = this.#transport.deadline("recording");
    const isTooLate = new Promise<void>((resolve) => {
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
    await Promise.race([this.#delivering, isTooLate]);
    cancel();
  }

  async #ask(
    path: string,
    values: ApiCall["values"],
    isAnswer: ApiCall["isAnswer"],
  ): Promise<unknown> {
    const deadline = this.#transport.deadline("reporting");
    const signal = AbortSignal.any([deadline.signal, this.#ended.signal]);
    const call: ApiCall = { pool: "reporting", method: "GET", path, values, isAnswer };
    try {
      return await this.#inTurn(() => this.#answerToQuery(call, signal));
    } finally {
      deadline.cancel();
    }
  }

  async #answerToQuery(call: ApiCall, signal: AbortSignal): Promise<unknown> {
    let status: number | undefined;
    for (let attempt = 1; attempt <= MAX_QUERY_ATTEMPTS; attempt += 1) {
      const answer = await this.#transport.send(call, signal);
      if (answer.kind === "done") return answer.value;
      status = answer.status;
      if (answer.kind === "refused") break;
      if (answer.kind === "limited" || attempt === MAX_QUERY_ATTEMPTS) continue;
      const atMs = this.#context.timers.now() + this.#pauseMs(attempt);
      await this.#transport.sleepUntil(atMs, signal);
    }
    throw new ApiError(call.path, status);
  }

  async #inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    if (this.#queries < MAX_QUERIES_AT_ONCE) this.#queries += 1;
    else await new Promise<void>((resolve) => this.#queryLine.push(resolve));
    try {
      return await work();
    } finally {
      // The next one takes over its place.
      const next = this.#queryLine.shift();
      if (next === undefined) this.#queries -= 1;
      else next();
    }
  }

  #forgetOldViews(nowMs: number): void {
    for (const [key, { givenAtMs }] of this.#known) {
      if (nowMs - givenAtMs < REMEMBERED_MS) return;
      this.#known.delete(key);
    }
  }
}

function recording(
  path: string,
  values: ApiCall["values"],
  isAnswer: ApiCall["isAnswer"],
): ApiCall {
  return { pool: "recording", method: "POST", path, values, isAnswer };
}

export const createQueueingDriver: CreateDriver<Receipt> = (context) => {
  const client = new QueueingClient(context);
  return {
    inOrder: true,
    // One event, and the queries.
    maxAtOnce: 1 + MAX_QUERIES_AT_ONCE,
    maxAttempts: MAX_ATTEMPTS,
    maxQueued: MAX_QUEUED,
    staleMs: STALE_MS,
    impression: (shown) => client.impression(shown),
    click: (receipt) => client.click(receipt),
    stats: (query) => client.stats(query),
    surfaces: () => client.surfaces(),
    payouts: (query) => client.payouts(query),
    flush: () => client.flush(),
    close: () => client.close(),
  };
};

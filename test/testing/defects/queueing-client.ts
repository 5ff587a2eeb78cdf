/**
 * A client as a careful engineer writes it for production from the spec alone: events wait in a queue and are delivered in
 * the background, statistics are cached for a short time. It is correct; `queueing-defects.txt` lists what could be wrong
 * with it.
 */

import type {
  CreateDriver,
  DriverContext,
  Shown,
  Undelivered,
} from "../../../src/testing/driver/driver.ts";
import { STALE_MS, StatsCache } from "./stats-cache.ts";
import { Transport } from "./transport.ts";
import { type ApiCall, callsOf, type Receipt, type StatsQuery } from "./wire.ts";

const MAX_QUEUED = 40;
const MAX_ATTEMPTS = 6;
const MAX_QUERY_ATTEMPTS = 3;
const MAX_QUERIES_AT_ONCE = 3;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;
/** How long a view is remembered, so that a second report of it isn't sent. */
const REMEMBERED_MS = 24 * 3_600_000;

interface KnownView {
  /** What a caller gets for the view. It is filled in when the view is recorded. */
  readonly receipt: Partial<Receipt>;
  readonly givenAtMs: number;
  hasFailed: boolean;
}

interface QueuedEvent {
  readonly kind: "impressions" | "clicks";
  /** Undefined if it can't be sent. */
  readonly call: () => ApiCall | undefined;
  /** @param answer Undefined if it failed. */
  readonly ended?: (answer: unknown) => void;
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
  readonly #calls: ReturnType<typeof callsOf>;
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
    this.#calls = callsOf(context);
    this.#transport = new Transport(context);
  }

  impression(shown: Shown): Partial<Receipt> {
    const nowMs = this.#context.timers.now();
    const key = JSON.stringify([shown.surface, shown.ad, shown.session]);
    const known = this.#known.get(key);
    const isRemembered = known && nowMs - known.givenAtMs < REMEMBERED_MS && !known.hasFailed;
    if (isRemembered) return known.receipt;
    const view: KnownView = { receipt: known?.receipt ?? {}, givenAtMs: nowMs, hasFailed: false };
    const call = this.#calls.impression(shown);
    this.#enqueue({
      kind: "impressions",
      call: () => call,
      ended: (answer) => {
        view.hasFailed = answer === undefined;
        if (answer === undefined) return;
        const { impression_id, revenue_credited_inr } = answer as Receipt;
        Object.assign(view.receipt, { impression_id, revenue_credited_inr });
      },
    });
    this.#forgetOldViews(nowMs);
    this.#known.delete(key);
    this.#known.set(key, view);
    return view.receipt;
  }

  click(receipt: Partial<Receipt>): void {
    this.#enqueue({
      kind: "clicks",
      // Events are delivered in order, so the impression has its id by now unless it failed.
      call: () => {
        const { impression_id } = receipt;
        return impression_id === undefined ? undefined : this.#calls.click(impression_id);
      },
    });
  }

  async stats(query: StatsQuery): Promise<unknown> {
    const askedAtMs = this.#context.timers.now();
    // While events wait, figures change at any moment.
    const cached = this.#queue.length > 0 ? undefined : this.#cache.find(query, askedAtMs);
    if (cached !== undefined) return structuredClone(cached);
    const { version } = this.#cache;
    const value = await this.#ask(this.#calls.stats(query));
    this.#cache.keep(query, { value, askedAtMs, version });
    return structuredClone(value);
  }

  async surfaces(): Promise<unknown> {
    return await this.#ask(this.#calls.surfaces());
  }

  async payouts(query: { readonly limit?: number | undefined }): Promise<unknown> {
    return await this.#ask(this.#calls.payouts(query));
  }

  /**
   * Waits until the queue is empty, but not for ever. Resolves with how many events still wait or were given up since the
   * last flush.
   */
  async flush(): Promise<Undelivered> {
    await this.#drained();
    const before = this.#reported;
    const now = { ...this.#undelivered };
    this.#reported = now;
    return {
      impressions: now.impressions - before.impressions + this.#waiting("impressions"),
      clicks: now.clicks - before.clicks + this.#waiting("clicks"),
    };
  }

  /** Delivers what it can, then ends for good. Resolves with all that was never delivered. */
  close(): Promise<Undelivered> {
    this.#closing ??= this.#drained().then(() => this.#end());
    return this.#closing;
  }

  async #end(): Promise<Undelivered> {
    this.#ended.abort(new Error("The client is closed."));
    await this.#delivering;
    return { ...this.#undelivered };
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
      if (answer === undefined) this.#undelivered[event.kind] += 1;
      event.ended?.(answer);
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
      // The service recognises a view that comes twice by its session (spec §4), but not a click.
      if (event.kind === "clicks") return undefined;
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

  async #ask(call: ApiCall): Promise<unknown> {
    const deadline = this.#transport.deadline("reporting");
    const signal = AbortSignal.any([deadline.signal, this.#ended.signal]);
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

export const createQueueingDriver: CreateDriver<Partial<Receipt>> = (context) => {
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

/**
 * A client with an ordered queue of events and cached reports, written from the specification and the page about drivers alone
 * (docs/test-your-client.md). It uses the machine's clock, timers, chance and fetch. It is correct; `ordered-defects.txt` lists
 * what could be wrong with it.
 */

import type {
  CreateDriver,
  DriverContext,
  Shown,
  Undelivered,
} from "../../../src/testing/driver/driver.ts";
import {
  type ApiCall,
  callsOf,
  exchange,
  type Got,
  MAX_TIMER_MS,
  type Receipt,
  retryAfter,
  type StatsQuery,
} from "./wire.ts";

/** The service answered, but not with a success. */
class ApiError extends Error {
  readonly status: number;
  /** Whether the request was refused only since too many were sent. */
  readonly isLimit: boolean;
  readonly pauseMs: number;
  constructor(path: string, status: number, isLimit: boolean, pauseMs: number) {
    super(`${path} answered ${status}`);
    this.status = status;
    this.isLimit = isLimit;
    this.pauseMs = pauseMs;
  }
  /** Whether the service has refused the key: nothing that is sent with it can succeed. */
  get isKeyRefused(): boolean {
    return (this.status === 401 || this.status === 403) && !this.isLimit;
  }
  /** Whether the same request would be refused again. */
  get isFinal(): boolean {
    return this.status >= 400 && this.status < 500 && this.status !== 408 && !this.isLimit;
  }
}

/** The client gave up by itself: it is closed, its queue is full, or an event is too old. */
class GivenUpError extends Error {}

/** A view that was reported. Its click needs it. */
interface Ticket {
  readonly impression: Task;
  click: Task | undefined;
}

interface Task {
  readonly kind: "impressions" | "clicks";
  /** Undefined if its impression was never recorded. */
  readonly call: () => ApiCall | undefined;
  state: "waiting" | "done" | "lost";
  queuedAt: number;
  attempts: number;
  answer: unknown;
  error: unknown;
}

/** Requests that share a limit of the service, and so a pause. */
interface Pool {
  quietUntil: number;
  failures: number;
}

const MAX_ATTEMPTS = 5;
const MAX_QUEUED = 50;
const MAX_AGE_MS = 15 * 60_000;
const MAX_READS = 2;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;
const LIMIT_PAUSE_MS = 60_000;
const READ_PATIENCE_MS = 120_000;
const READ_ATTEMPTS = 3;
const STATS_TTL_MS = 30_000;
const SURFACES_TTL_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** India's midnight, in milliseconds after midnight UTC. */
const IST_MIDNIGHT_MS = 18.5 * 3_600_000;

/** It knows nothing of the driver's context but where the service is. */
const machine: Pick<DriverContext, "fetch" | "timers"> = {
  fetch: (url, init) => fetch(url, init),
  timers: {
    now: () => Date.now(),
    setTimeout: (callback, ms) => setTimeout(callback, ms),
    clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout),
  },
};

/** When the service's next day begins at the earliest: at midnight UTC or at midnight in India. */
function nextMidnight(nowMs: number): number {
  const day = Math.floor(nowMs / DAY_MS) * DAY_MS;
  const ist = day + IST_MIDNIGHT_MS;
  return nowMs < ist ? ist : day + DAY_MS;
}

class AdsClient {
  readonly #context: DriverContext;
  readonly #calls: ReturnType<typeof callsOf>;
  readonly #events: Pool = { quietUntil: 0, failures: 0 };
  readonly #reports: Pool = { quietUntil: 0, failures: 0 };
  readonly #tickets = new Map<string, Ticket>();
  readonly #cache = new Map<string, { until: number; answer: unknown }>();
  readonly #underWay = new Map<string, { writes: number; answer: Promise<unknown> }>();
  readonly #lost = new Set<Task>();
  readonly #lostSinceFlush = new Set<Task>();
  readonly #sleepers = new Set<() => void>();
  readonly #readsUnderWay = new Set<AbortController>();
  readonly #queue: Task[] = [];
  #isSending = false;
  readonly #idle: (() => void)[] = [];
  readonly #freeRead: (() => void)[] = [];
  #readCount = 0;
  #writes = 0;
  #refused: ApiError | undefined;
  #closing: Promise<Undelivered> | undefined;

  constructor(context: DriverContext) {
    this.#context = { ...context, ...machine };
    this.#calls = callsOf(context);
  }

  /** Queues a view. The same view reported again is sent again only if it was given up. */
  impression(shown: Shown): Ticket {
    this.#mustTakeEvents();
    const key = JSON.stringify([shown.surface, shown.ad, shown.session]);
    const known = this.#tickets.get(key);
    if (known !== undefined) {
      if (known.impression.state === "lost") this.#enqueue(known.impression);
      return known;
    }
    const impression = newTask("impressions", () => this.#calls.impression(shown));
    const ticket: Ticket = { impression, click: undefined };
    this.#enqueue(impression);
    this.#tickets.set(key, ticket);
    return ticket;
  }

  /** Queues the click on a view. Each view has one click. */
  click(ticket: Ticket): Ticket {
    this.#mustTakeEvents();
    const { click, impression } = ticket;
    if (click === undefined) {
      const task = newTask("clicks", () => {
        const { impression_id } = (impression.answer ?? {}) as Partial<Receipt>;
        return impression_id === undefined ? undefined : this.#calls.click(impression_id);
      });
      this.#enqueue(task);
      ticket.click = task;
    } else if (click.state === "lost" && !mayHaveCounted(click)) this.#enqueue(click);
    return ticket;
  }

  async stats(query: StatsQuery): Promise<unknown> {
    const now = Date.now();
    const until = Math.min(now + STATS_TTL_MS, nextMidnight(now));
    return await this.#read(this.#calls.stats(query), until);
  }

  async surfaces(): Promise<unknown> {
    return await this.#read(this.#calls.surfaces(), Date.now() + SURFACES_TTL_MS);
  }

  async payouts({ limit }: { readonly limit?: number | undefined }): Promise<unknown> {
    if (limit !== undefined && !(Number.isInteger(limit) && limit >= 1 && limit <= 100)) {
      throw new RangeError(`limit must be a whole number from 1 to 100, not ${limit}`);
    }
    return await this.#read(this.#calls.payouts({ limit }), 0);
  }

  /** Resolves when nothing waits: to the events that were given up since the last flush. */
  async flush(): Promise<Undelivered> {
    await this.#drained();
    const lost = countsOf(this.#lostSinceFlush);
    this.#lostSinceFlush.clear();
    return lost;
  }

  /** Takes nothing more, delivers what waits, and resolves to all events that were given up. */
  close(): Promise<Undelivered> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<Undelivered> {
    for (const read of this.#readsUnderWay) read.abort();
    for (const next of this.#freeRead.splice(0)) next();
    this.#wakeAll();
    await this.#drained();
    this.#wakeAll();
    return countsOf(this.#lost);
  }

  #mustTakeEvents(): void {
    if (this.#closing !== undefined) throw new GivenUpError("the client is closed");
    if (this.#refused !== undefined) throw this.#refused;
  }

  #drained(): Promise<void> {
    if (this.#queue.length === 0 && !this.#isSending) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  #enqueue(task: Task): void {
    // The first of the queue is under way.
    if (this.#queue.length > MAX_QUEUED) throw new GivenUpError("the queue is full");
    task.state = "waiting";
    task.queuedAt = Date.now();
    task.attempts = 0;
    task.error = undefined;
    this.#lost.delete(task);
    this.#lostSinceFlush.delete(task);
    this.#queue.push(task);
    if (!this.#isSending) void this.#sendAll();
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true;
    for (let task = this.#queue[0]; task !== undefined; task = this.#queue[0]) {
      const isOver = await this.#sendOnce(task);
      if (isOver) this.#queue.shift();
    }
    this.#isSending = false;
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** @returns whether the task is over: done or lost. */
  async #sendOnce(task: Task): Promise<boolean> {
    const isOpen = await this.#quiet(this.#events, task.queuedAt + MAX_AGE_MS);
    if (this.#refused !== undefined) return this.#lose(task, this.#refused);
    if (!isOpen) return this.#lose(task, task.error ?? new GivenUpError("it waited too long"));
    const call = task.call();
    if (call === undefined) return this.#lose(task, new GivenUpError("its impression is lost"));
    task.attempts += 1;
    try {
      task.answer = await this.#request(call, this.#events);
      task.state = "done";
      return true;
    } catch (error) {
      task.error = error;
      const isFinal = error instanceof ApiError && error.isFinal;
      const isLimit = error instanceof ApiError && error.isLimit;
      if (isFinal || (task.kind === "clicks" && !isLimit)) return this.#lose(task, error);
      return task.attempts >= MAX_ATTEMPTS && !isLimit ? this.#lose(task, error) : false;
    } finally {
      // Even after a failure: the service may have recorded the event all the same.
      this.#writes += 1;
      this.#cache.clear();
    }
  }

  #lose(task: Task, error: unknown): true {
    task.state = "lost";
    task.error = error;
    this.#lost.add(task);
    this.#lostSinceFlush.add(task);
    return true;
  }

  /** An answer of the cache, of a request under way, or of a new one. */
  async #read(call: ApiCall, until: number): Promise<unknown> {
    if (this.#closing !== undefined) throw new GivenUpError("the client is closed");
    if (this.#refused !== undefined) throw this.#refused;
    const key = JSON.stringify([call.path, call.values]);
    const kept = this.#cache.get(key);
    if (kept !== undefined && Date.now() < kept.until) return structuredClone(kept.answer);
    const shared = this.#underWay.get(key);
    if (shared?.writes === this.#writes) return structuredClone(await shared.answer);
    const mine = { writes: this.#writes, answer: this.#readRetrying(call) };
    this.#underWay.set(key, mine);
    try {
      const answer = structuredClone(await mine.answer);
      if (mine.writes === this.#writes && Date.now() < until)
        this.#cache.set(key, { until, answer });
      return structuredClone(answer);
    } finally {
      if (this.#underWay.get(key) === mine) this.#underWay.delete(key);
    }
  }

  async #readRetrying(call: ApiCall): Promise<unknown> {
    for (let attempt = 1; ; attempt += 1) {
      await this.#takeRead();
      try {
        const isOpen = await this.#quiet(this.#reports, Date.now() + READ_PATIENCE_MS);
        if (this.#closing !== undefined) throw new GivenUpError("the client is closed");
        if (this.#refused !== undefined) throw this.#refused;
        if (!isOpen) throw new GivenUpError("the service wants no requests for a while");
        return await this.#request(call, this.#reports);
      } catch (error) {
        const isFinal =
          error instanceof GivenUpError || (error instanceof ApiError && error.isFinal);
        if (isFinal || this.#closing !== undefined || attempt >= READ_ATTEMPTS) throw error;
      } finally {
        this.#readCount -= 1;
        this.#freeRead.shift()?.();
      }
    }
  }

  async #takeRead(): Promise<void> {
    while (this.#readCount >= MAX_READS && this.#closing === undefined) {
      await new Promise<void>((resolve) => this.#freeRead.push(resolve));
    }
    this.#readCount += 1;
  }

  /** Sends one request, and notes in its pool how long it has to be quiet. */
  async #request(call: ApiCall, pool: Pool): Promise<unknown> {
    try {
      const answer = await this.#exchange(call);
      pool.failures = 0;
      return answer;
    } catch (error) {
      if (error instanceof ApiError && error.isKeyRefused) {
        this.#refused = error;
        this.#wakeAll();
      }
      if (error instanceof ApiError && error.isFinal) throw error;
      pool.failures += 1;
      const growing = Math.min(FIRST_PAUSE_MS * 2 ** (pool.failures - 1), LONGEST_PAUSE_MS);
      const told = error instanceof ApiError ? error.pauseMs : 0;
      const pauseMs = Math.max(told, growing * (1 + Math.random() / 5));
      pool.quietUntil = Math.max(pool.quietUntil, Date.now() + pauseMs);
      throw error;
    }
  }

  async #exchange(call: ApiCall): Promise<unknown> {
    const abort = new AbortController();
    if (call.pool === "reporting") this.#readsUnderWay.add(abort);
    const got = await exchange(this.#context, call, "json", abort.signal);
    this.#readsUnderWay.delete(abort);
    if (got?.status === 200 && call.isAnswer(got.body)) return got.body;
    if (got !== undefined && got.status !== 200) throw errorOf(call.path, got);
    throw new Error(`${call.path} gave no answer that is as the specification says`);
  }

  /** Waits until the pool may send. @returns false if that isn't before `deadline`. */
  async #quiet(pool: Pool, deadline: number): Promise<boolean> {
    for (;;) {
      const now = Date.now();
      if (now >= deadline) return false;
      if (now >= pool.quietUntil) return true;
      if (this.#refused !== undefined) return false;
      if (pool === this.#reports && this.#closing !== undefined) return false;
      await this.#sleep(Math.min(pool.quietUntil, deadline) - now);
    }
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.#sleepers.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, Math.min(Math.max(1, Math.ceil(ms)), MAX_TIMER_MS));
      this.#sleepers.add(wake);
    });
  }

  #wakeAll(): void {
    for (const wake of [...this.#sleepers]) wake();
  }
}

function newTask(kind: Task["kind"], call: Task["call"]): Task {
  return {
    kind,
    call,
    state: "waiting",
    queuedAt: 0,
    attempts: 0,
    answer: undefined,
    error: undefined,
  };
}

function errorOf(path: string, { status, headers }: Got): ApiError {
  const isOver = headers.get("x-ratelimit-remaining") === "0";
  const isLimit = status === 429 || (status >= 400 && isOver);
  const now = Date.now();
  const until = retryAfter(headers, now) ?? (isLimit ? now + LIMIT_PAUSE_MS : now);
  return new ApiError(path, status, isLimit, Math.max(0, until - now));
}

/** Whether the service may have recorded an event that was given up. */
function mayHaveCounted({ attempts, error }: Task): boolean {
  if (attempts === 0) return false;
  return !(error instanceof ApiError && (error.isLimit || error.isFinal));
}

function countsOf(tasks: Iterable<Task>): Undelivered {
  const counts = { impressions: 0, clicks: 0 };
  for (const { kind } of tasks) counts[kind] += 1;
  return counts;
}

/** Resolves when an event is queued. */
export const createOrderedDriver: CreateDriver<Ticket> = (context) => {
  const client = new AdsClient(context);
  return {
    staleMs: STATS_TTL_MS,
    inOrder: true,
    maxAtOnce: 1 + MAX_READS,
    maxAttempts: MAX_ATTEMPTS,
    maxAgeMs: MAX_AGE_MS,
    maxQueued: MAX_QUEUED,
    withinMs: 20 * 60_000,
    impression: (shown) => client.impression(shown),
    click: (ticket) => client.click(ticket),
    stats: (query) => client.stats(query),
    surfaces: () => client.surfaces(),
    payouts: (query) => client.payouts(query),
    flush: () => client.flush(),
    close: () => client.close(),
  };
};

/**
 * A client with an ordered queue of events and cached reports, written from the specification and the page about drivers alone
 * (docs/test-your-client.md), and a driver for it.
 */

import type { CreateDriver } from "../../../src/contract.ts";

interface ClientOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly publisherId: string;
  readonly timeoutMs?: number;
  readonly maxAttempts?: number;
  readonly maxQueued?: number;
  readonly maxAgeMs?: number;
  readonly statsTtlMs?: number;
  readonly reads?: number;
}

interface StatsQuery {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly surface?: string | undefined;
}

interface Stats {
  publisher_id: string;
  period: { from: string; to: string };
  impressions: number;
  clicks: number;
  revenue_inr: number;
  surfaces: { id: string; impressions: number; revenue: number }[];
}

interface Surface {
  id: string;
  name: string;
  status: string;
  cpm_range: [number, number];
}

interface Payouts {
  payouts: { id: string; date: string; amount_inr: number; status: string; txn_id: string }[];
  pending_inr: number;
}

interface Undelivered {
  readonly impressions: number;
  readonly clicks: number;
}

type Values = Record<string, string | number | undefined>;
type Json = Record<string, unknown>;

/** The service answered, but not with a success. */
class ApiError extends Error {
  readonly status: number;
  /** Whether the request was refused only since too many were sent. */
  readonly isLimit: boolean;
  readonly pauseMs: number;
  constructor(path: string, status: number, isLimit: boolean, pauseMs: number) {
    super(`${path} answered ${status}`);
    this.name = "ApiError";
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

/** There was no answer, or one that isn't what the specification says. */
class NoAnswerError extends Error {}
/** The client gave up by itself: it is closed, its queue is full, or an event is too old. */
class GivenUpError extends Error {}

/** A view that was reported. Its click needs it. */
interface Ticket {
  readonly key: string;
  readonly impression: Task;
  click: Task | undefined;
}

interface Task {
  readonly kind: "impression" | "click";
  readonly path: string;
  readonly ticket: Ticket;
  readonly values: () => Values | undefined;
  state: "waiting" | "done" | "lost";
  queuedAt: number;
  attempts: number;
  answer: Json | undefined;
  error: unknown;
}

/** Requests that share a limit of the service, and so a pause. */
interface Pool {
  quietUntil: number;
  failures: number;
}

const MAX_TIMER_MS = 2 ** 31 - 1;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;
const LIMIT_PAUSE_MS = 60_000;
const READ_PATIENCE_MS = 120_000;
const READ_ATTEMPTS = 3;
const REMEMBERED_VIEWS = 10_000;
const SURFACES_TTL_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** India's midnight, in milliseconds after midnight UTC. */
const IST_MIDNIGHT_MS = 18.5 * 3_600_000;

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";
const isNumber = (value: unknown): value is number =>
  typeof value === "number" && Number.isFinite(value);
const isCount = (value: unknown): value is number => Number.isInteger(value) && Number(value) >= 0;
const isDate = (value: unknown): value is string =>
  typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value);
const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isListOf = (value: unknown, is: (one: Json) => boolean): boolean =>
  Array.isArray(value) && value.every((one) => isObject(one) && is(one));

/** Whether an answer is what the specification says. */
const isRight: Record<string, (answer: Json, asked: Values) => boolean> = {
  "/v1/impression": (a) =>
    a.ok === true && isText(a.impression_id) && isNumber(a.revenue_credited_inr),
  "/v1/click": (a) => a.ok === true && isText(a.click_id) && isNumber(a.revenue_credited_inr),
  "/v1/publisher/stats": (a, asked) =>
    a.publisher_id === asked.publisher_id &&
    isObject(a.period) &&
    isDate(a.period.from) &&
    isDate(a.period.to) &&
    isCount(a.impressions) &&
    isCount(a.clicks) &&
    isNumber(a.revenue_inr) &&
    isListOf(
      a.surfaces,
      (one) => isText(one.id) && isCount(one.impressions) && isNumber(one.revenue),
    ),
  "/v1/publisher/surfaces": (a) =>
    isListOf(
      a.surfaces,
      (one) =>
        isText(one.id) &&
        isText(one.name) &&
        isText(one.status) &&
        Array.isArray(one.cpm_range) &&
        one.cpm_range.length === 2 &&
        one.cpm_range.every(isNumber),
    ),
  "/v1/publisher/payouts": (a) =>
    isNumber(a.pending_inr) &&
    isListOf(a.payouts, (one) => isText(one.id) && isDate(one.date) && isNumber(one.amount_inr)),
};

const copyOf = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

/** What Retry-After asks for, in milliseconds; undefined if it asks for nothing that can be read. */
function retryAfterMs(value: string | null, nowMs: number): number | undefined {
  if (value === null) return undefined;
  const text = value.trim();
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}

/** When the service's next day begins at the earliest: at midnight UTC or at midnight in India. */
function nextMidnight(nowMs: number): number {
  const day = Math.floor(nowMs / DAY_MS) * DAY_MS;
  const ist = day + IST_MIDNIGHT_MS;
  return nowMs < ist ? ist : day + DAY_MS;
}

const newSession = (): string =>
  `s-${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}${Math.random().toString(36).slice(2)}`;

class AdsClient {
  readonly #base: string;
  readonly #key: string;
  readonly #publisher: string;
  readonly #timeoutMs: number;
  readonly #maxAttempts: number;
  readonly #maxQueued: number;
  readonly #maxAgeMs: number;
  readonly #statsTtlMs: number;
  readonly #maxReads: number;
  readonly #events: Pool = { quietUntil: 0, failures: 0 };
  readonly #reports: Pool = { quietUntil: 0, failures: 0 };
  readonly #tickets = new Map<string, Ticket>();
  readonly #cache = new Map<string, { until: number; answer: Json }>();
  readonly #underWay = new Map<string, { writes: number; answer: Promise<Json> }>();
  readonly #lost = new Set<Task>();
  readonly #lostSinceFlush = new Set<Task>();
  readonly #sleepers = new Set<() => void>();
  readonly #readsUnderWay = new Set<AbortController>();
  #queue: Task[] = [];
  #isSending = false;
  #idle: (() => void)[] = [];
  #freeRead: (() => void)[] = [];
  #readCount = 0;
  #writes = 0;
  #refused: ApiError | undefined;
  #closing: Promise<Undelivered> | undefined;

  constructor(options: ClientOptions) {
    this.#base = options.baseUrl.replace(/\/+$/, "");
    this.#key = options.apiKey;
    this.#publisher = options.publisherId;
    this.#timeoutMs = options.timeoutMs ?? 10_000;
    this.#maxAttempts = options.maxAttempts ?? 5;
    this.#maxQueued = options.maxQueued ?? 50;
    this.#maxAgeMs = options.maxAgeMs ?? 15 * 60_000;
    this.#statsTtlMs = options.statsTtlMs ?? 30_000;
    this.#maxReads = options.reads ?? 2;
  }

  /** Queues a view. The same view reported again is sent again only if it was given up. */
  impression(surface: string, ad: string, session: string = newSession()): Ticket {
    this.#mustTakeEvents();
    const key = JSON.stringify([surface, ad, session]);
    const known = this.#tickets.get(key);
    if (known !== undefined) {
      this.#tickets.delete(key);
      this.#tickets.set(key, known);
      if (known.impression.state === "lost") this.#enqueue(known.impression);
      return known;
    }
    const values = { publisher_id: this.#publisher, surface, ad_id: ad, session_id: session };
    const ticket = { key, click: undefined } as unknown as {
      -readonly [K in keyof Ticket]: Ticket[K];
    };
    ticket.impression = this.#task("impression", "/v1/impression", ticket, () => values);
    this.#enqueue(ticket.impression);
    this.#tickets.set(key, ticket);
    const [oldest] = this.#tickets.keys();
    if (this.#tickets.size > REMEMBERED_VIEWS && oldest !== undefined) this.#tickets.delete(oldest);
    return ticket;
  }

  /** Queues the click on a view. Each view has one click. */
  click(ticket: Ticket): Ticket {
    this.#mustTakeEvents();
    const { click, impression } = ticket;
    if (click === undefined) {
      const task = this.#task("click", "/v1/click", ticket, () => {
        const id = impression.answer?.impression_id;
        return isText(id) ? { impression_id: id } : undefined;
      });
      this.#enqueue(task);
      ticket.click = task;
    } else if (click.state === "lost" && !mayHaveCounted(click)) this.#enqueue(click);
    return ticket;
  }

  async stats(query: StatsQuery = {}): Promise<Stats> {
    const { from, to, surface } = query;
    const values = { publisher_id: this.#publisher, from, to, surface };
    const now = Date.now();
    const until = Math.min(now + this.#statsTtlMs, nextMidnight(now));
    const answer = await this.#read("/v1/publisher/stats", values, until);
    return answer as unknown as Stats;
  }

  async surfaces(): Promise<{ surfaces: Surface[] }> {
    const values = { publisher_id: this.#publisher };
    const until = Date.now() + SURFACES_TTL_MS;
    const answer = await this.#read("/v1/publisher/surfaces", values, until);
    return answer as unknown as { surfaces: Surface[] };
  }

  async payouts(query: { readonly limit?: number | undefined } = {}): Promise<Payouts> {
    const { limit } = query;
    if (limit !== undefined && !(Number.isInteger(limit) && limit >= 1 && limit <= 100)) {
      throw new RangeError(`limit must be a whole number from 1 to 100, not ${limit}`);
    }
    const values = { publisher_id: this.#publisher, limit };
    const answer = await this.#read("/v1/publisher/payouts", values, 0);
    return answer as unknown as Payouts;
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

  #task(kind: Task["kind"], path: string, ticket: Ticket, values: Task["values"]): Task {
    const start = { state: "waiting", queuedAt: 0, attempts: 0 } as const;
    return {
      kind,
      path,
      ticket,
      values,
      ...start,
      answer: undefined,
      error: undefined,
    };
  }

  #enqueue(task: Task): void {
    // The first of the queue is under way.
    if (this.#queue.length > this.#maxQueued) throw new GivenUpError("the queue is full");
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
    const isOpen = await this.#quiet(this.#events, task.queuedAt + this.#maxAgeMs);
    if (this.#refused !== undefined) return this.#lose(task, this.#refused);
    if (!isOpen) return this.#lose(task, task.error ?? new GivenUpError("it waited too long"));
    const values = task.values();
    if (values === undefined) return this.#lose(task, new GivenUpError("its impression is lost"));
    task.attempts += 1;
    try {
      const answer = await this.#request("POST", task.path, values, this.#events);
      this.#writes += 1;
      this.#cache.clear();
      task.state = "done";
      task.answer = answer;
      return true;
    } catch (error) {
      // The service may have recorded the event all the same.
      this.#writes += 1;
      this.#cache.clear();
      task.error = error;
      const isFinal = error instanceof ApiError && error.isFinal;
      const isLimit = error instanceof ApiError && error.isLimit;
      if (isFinal || (task.kind === "click" && !isLimit)) return this.#lose(task, error);
      if (task.attempts >= this.#maxAttempts && !isLimit) return this.#lose(task, error);
      return false;
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
  async #read(path: string, values: Values, until: number): Promise<Json> {
    if (this.#closing !== undefined) throw new GivenUpError("the client is closed");
    if (this.#refused !== undefined) throw this.#refused;
    const key = JSON.stringify([path, values]);
    const kept = this.#cache.get(key);
    if (kept !== undefined && Date.now() < kept.until) return copyOf(kept.answer);
    const shared = this.#underWay.get(key);
    if (shared !== undefined && shared.writes === this.#writes) return copyOf(await shared.answer);
    const writes = this.#writes;
    const answer = this.#readRetrying(path, values);
    const mine = { writes, answer };
    this.#underWay.set(key, mine);
    try {
      const read = await answer;
      if (writes === this.#writes && Date.now() < until) {
        this.#cache.set(key, { until, answer: copyOf(read) });
      }
      return copyOf(read);
    } finally {
      if (this.#underWay.get(key) === mine) this.#underWay.delete(key);
    }
  }

  async #readRetrying(path: string, values: Values): Promise<Json> {
    for (let attempt = 1; ; attempt += 1) {
      await this.#takeRead();
      try {
        const isOpen = await this.#quiet(this.#reports, Date.now() + READ_PATIENCE_MS);
        if (this.#closing !== undefined) throw new GivenUpError("the client is closed");
        if (this.#refused !== undefined) throw this.#refused;
        if (!isOpen) throw new GivenUpError("the service wants no requests for a while");
        return await this.#request("GET", path, values, this.#reports);
      } catch (error) {
        if (this.#closing !== undefined || error instanceof GivenUpError) throw error;
        if (error instanceof ApiError && error.isFinal) throw error;
        if (attempt >= READ_ATTEMPTS) throw error;
      } finally {
        this.#readCount -= 1;
        this.#freeRead.shift()?.();
      }
    }
  }

  async #takeRead(): Promise<void> {
    while (this.#readCount >= this.#maxReads && this.#closing === undefined) {
      await new Promise<void>((resolve) => this.#freeRead.push(resolve));
    }
    this.#readCount += 1;
  }

  /** Sends one request, and notes in its pool how long it has to be quiet. */
  async #request(method: "GET" | "POST", path: string, values: Values, pool: Pool): Promise<Json> {
    try {
      const answer = await this.#exchange(method, path, values);
      pool.failures = 0;
      return answer;
    } catch (error) {
      if (error instanceof ApiError) {
        if (error.isKeyRefused) {
          this.#refused = error;
          this.#wakeAll();
        }
        if (error.isFinal) throw error;
      }
      pool.failures += 1;
      const growing = Math.min(FIRST_PAUSE_MS * 2 ** (pool.failures - 1), LONGEST_PAUSE_MS);
      const told = error instanceof ApiError ? error.pauseMs : 0;
      const pauseMs = Math.max(told, growing * (1 + Math.random() / 5));
      pool.quietUntil = Math.max(pool.quietUntil, Date.now() + pauseMs);
      throw error;
    }
  }

  async #exchange(method: "GET" | "POST", path: string, values: Values): Promise<Json> {
    const given = Object.entries(values).filter(([, value]) => value !== undefined);
    const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), this.#timeoutMs);
    if (method === "GET") this.#readsUnderWay.add(abort);
    try {
      const response = await fetch(`${this.#base}${path}${method === "GET" ? `?${query}` : ""}`, {
        method,
        headers: {
          authorization: `Bearer ${this.#key}`,
          accept: "application/json",
          ...(method === "POST" ? { "content-type": "application/json" } : {}),
        },
        ...(method === "POST" ? { body: JSON.stringify(Object.fromEntries(given)) } : {}),
        signal: abort.signal,
      });
      if (response.status !== 200) {
        void response.body?.cancel();
        throw this.#errorOf(path, response);
      }
      const answer: unknown = await response.json();
      if (isObject(answer) && isRight[path]?.(answer, values)) return answer;
      throw new NoAnswerError(`${path} gave an answer that isn't what the specification says`);
    } catch (error) {
      if (error instanceof ApiError || error instanceof NoAnswerError) throw error;
      throw new NoAnswerError(`${path} gave no answer`, { cause: error });
    } finally {
      clearTimeout(timer);
      this.#readsUnderWay.delete(abort);
    }
  }

  #errorOf(path: string, { status, headers }: Response): ApiError {
    const isLimit =
      status === 429 || (status >= 400 && headers.get("x-ratelimit-remaining") === "0");
    const told = retryAfterMs(headers.get("retry-after"), Date.now());
    return new ApiError(path, status, isLimit, told ?? (isLimit ? LIMIT_PAUSE_MS : 0));
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

/** Whether the service may have recorded an event that was given up. */
function mayHaveCounted({ attempts, error }: Task): boolean {
  if (attempts === 0) return false;
  return !(error instanceof ApiError && (error.isLimit || error.isFinal));
}

function countsOf(tasks: Iterable<Task>): Undelivered {
  const counts = { impressions: 0, clicks: 0 };
  for (const { kind } of tasks) counts[kind === "click" ? "clicks" : "impressions"] += 1;
  return counts;
}

/** Resolves when an event is queued. */
export const createOrderedDriver: CreateDriver<Ticket> = ({ baseUrl, apiKey, publisherId }) => {
  const client = new AdsClient({ baseUrl, apiKey, publisherId });
  return {
    staleMs: 30_000,
    inOrder: true,
    maxAtOnce: 3,
    maxAttempts: 5,
    maxAgeMs: 15 * 60_000,
    maxQueued: 50,
    withinMs: 20 * 60_000,
    impression: ({ surface, ad, session }) => client.impression(surface, ad, session),
    click: (ticket) => client.click(ticket),
    stats: (query) => client.stats(query),
    surfaces: () => client.surfaces(),
    payouts: (query) => client.payouts(query),
    flush: () => client.flush(),
    close: () => client.close(),
  };
};

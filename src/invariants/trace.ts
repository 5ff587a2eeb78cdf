/**
 * Records what a run did and what its client saw, for the invariants to look at afterwards. It keeps the first exchanges and only
 * counts later ones, because a run may have millions.
 */

import { plainRequest } from "../exchange/plain-request.ts";
import type { FaultRule } from "../faults/rule.ts";
import { bodyReplaced } from "../faults/verdict.ts";
import type { RequestParts } from "../spec/messages.ts";
import type { SurfaceChange } from "../world/accounts/publisher-directory.ts";
import type { ClientExchange, Member } from "./client-exchange.ts";

export interface TracedExchange extends RequestParts {
  /** How many exchanges of the run came before it. */
  readonly at: number;
  readonly atMs: number;
  readonly outcome: ClientExchange["outcome"];
  readonly status: number;
  /** X-RateLimit-Remaining as received. */
  readonly remaining: string | undefined;
  readonly text: string;
}

/** A surface's price range from an exchange on, in INR per thousand impressions. */
interface PricePeriod {
  readonly from: number;
  readonly cpmRange: readonly [lower: number, upper: number];
}

/** Call its methods in the order in which things happen. */
export interface TraceWriter {
  /** Call it for every exchange of the run. */
  observe(exchange: ClientExchange): void;
  /** Call it for each publisher at the start, on sign-up, and after the assumptions changed. */
  recordMember(member: Member): void;
  recordSurface(surface: string, change: SurfaceChange): void;
  /** The assumptions change from here on. */
  recordAssume(): void;
  /** A fault rule is in force from here on. */
  recordRule(rule: FaultRule): void;
}

/** What the invariants read. Positions count exchanges from 0. */
export interface TraceReader {
  readonly total: number;
  /** The first exchanges of the run, without a gap. */
  readonly kept: readonly TracedExchange[];
  /** By surface id. */
  readonly pricesBySurface: ReadonlyMap<
    string,
    { readonly publisher: string; readonly ranges: PricePeriod[] }
  >;
  /** The first exchange after the assumptions last changed; undefined if they never did. */
  readonly assumedAt: number | undefined;
  /** The first exchange with which a fault rule may have interfered. Infinity without rules. */
  readonly disturbedFrom: number;
  /** The first exchange whose answer a rule may have written or garbled. Infinity without such rules. */
  readonly scriptedFrom: number;
  /** Responses without X-RateLimit-Remaining, over all exchanges. */
  readonly withoutRemaining: Occurrences;
  /** Answers with a status of 500 or above that no rule writes, except 503 with no quota left. */
  readonly unscripted: Occurrences;
  /** Answers with 503 and no quota left. A limit may refuse with these. */
  readonly exhausted: Occurrences;
}

export type Trace = TraceWriter & TraceReader;

type Writable<Of> = { -readonly [Name in keyof Of]: Of[Name] };

/** How often something happened, and the first time. */
export interface Occurrences {
  count: number;
  first: string;
}

const MAX_KEPT = 30_000;
/** Most characters of kept requests and answers. */
const MAX_TEXT = 16 * 1024 * 1024;

export function createTrace(): Trace {
  const kept: TracedExchange[] = [];
  const pricesBySurface = new Map<string, { publisher: string; ranges: PricePeriod[] }>();
  const writtenStatuses = new Set<number>();
  let length = 0;
  let isKeeping = true;

  function countFailure(exchange: ClientExchange): void {
    const { status, headers } = exchange;
    if (writtenStatuses.has(status)) return;
    const isExhausted = status === 503 && headers["x-ratelimit-remaining"] === "0";
    countOccurrence(isExhausted ? trace.exhausted : trace.unscripted, exchange);
  }

  function keep(exchange: ClientExchange): void {
    const traced = tracedExchangeOf(exchange, trace.total);
    const { path, query, body, text } = traced;
    length += path.length + query.length + body.length + text.length;
    isKeeping = kept.length < MAX_KEPT && length <= MAX_TEXT;
    if (isKeeping) kept.push(traced);
  }

  const trace: Writable<TraceReader> & TraceWriter = {
    total: 0,
    kept,
    pricesBySurface,
    assumedAt: undefined,
    disturbedFrom: Number.POSITIVE_INFINITY,
    scriptedFrom: Number.POSITIVE_INFINITY,
    withoutRemaining: noOccurrences(),
    unscripted: noOccurrences(),
    exhausted: noOccurrences(),
    observe(exchange) {
      const { status } = exchange;
      if (status !== 0 && exchange.headers["x-ratelimit-remaining"] === undefined)
        countOccurrence(trace.withoutRemaining, exchange);
      if (status >= 500) countFailure(exchange);
      if (isKeeping) keep(exchange);
      trace.total += 1;
    },
    recordMember({ id, surfaces }) {
      for (const { id: surface, cpmRange } of surfaces) {
        if (pricesBySurface.has(surface)) continue;
        pricesBySurface.set(surface, { publisher: id, ranges: [{ from: 0, cpmRange }] });
      }
    },
    recordSurface(surface, { cpmRange }) {
      if (cpmRange !== undefined)
        pricesBySurface.get(surface)?.ranges.push({ from: trace.total, cpmRange });
    },
    recordAssume() {
      trace.assumedAt = trace.total;
    },
    recordRule({ verdict }) {
      trace.disturbedFrom = Math.min(trace.disturbedFrom, trace.total);
      if (verdict.kind === "respond") writtenStatuses.add(verdict.status);
      if (bodyReplaced.includes(verdict.kind))
        trace.scriptedFrom = Math.min(trace.scriptedFrom, trace.total);
    },
  };
  return trace;
}

function noOccurrences(): Occurrences {
  return { count: 0, first: "" };
}

function countOccurrence(occurrences: Occurrences, exchange: ClientExchange): void {
  occurrences.count += 1;
  if (occurrences.count > 1) return;
  const { request, outcome, status } = exchange;
  const answer = status === 0 ? outcome : `${status} ${exchange.text.slice(0, 200)}`;
  occurrences.first = `${request.method} ${request.path} got ${answer}`;
}

function tracedExchangeOf(exchange: ClientExchange, at: number): TracedExchange {
  const { request, atMs, outcome, status, headers, text } = exchange;
  const remaining = headers["x-ratelimit-remaining"];
  return { at, ...plainRequest(request), atMs, outcome, status, remaining, text };
}

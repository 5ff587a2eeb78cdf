/** Counts the outcomes and latencies of many requests: of a traffic step, a repeat, a parallel or a whole run. */

import { microsToInr, nearestMicros } from "../../base/money.ts";
import type { ClientExchange } from "../../invariants/client-exchange.ts";
import { type OperationId, operationIds } from "../../spec/operations.ts";
import type { Punctuality } from "../traffic/source.ts";

export interface OperationTally {
  readonly sent: number;
  /** Whole answers with status 200. */
  readonly ok: number;
}

/** The output of traffic, repeat and parallel steps. */
export interface TallySummary {
  readonly sent: number;
  /** Whole answers with status 200. */
  readonly ok: number;
  /** Whole answers with a status from 400 to 499. */
  readonly refused: number;
  /** Whole answers with a status of 500 or more. */
  readonly failed: number;
  readonly cut: number;
  readonly lost: number;
  readonly timedOut: number;
  readonly late: number;
  readonly dropped: number;
  /** Whole answers by status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Revenue that whole answers credited, in INR, exact to the micro. */
  readonly creditedInr: number;
  /** Number of different impression and click ids in the answers; undefined if more than 100,000. */
  readonly differentIds: number | undefined;
  readonly operations: Readonly<Record<OperationId, OperationTally>>;
}

/** At most this many ids are kept. */
const MAX_IDS = 100_000;
// Answers aren't parsed, because there are millions.
const ID = /"(?:impression|click)_id"\s*:\s*"((?:[^"\\]|\\.)*)"/;
const CREDITED = /"revenue_credited_inr"\s*:\s*(-?\d[\d.eE+-]*)/;

export function createTally() {
  const counts = {
    ...{ sent: 0, ok: 0, refused: 0, failed: 0, cut: 0, lost: 0, timedOut: 0 },
    ...{ late: 0, dropped: 0 },
  };
  const statuses: Record<string, number> = {};
  const none = (): { sent: number; ok: number } => ({ sent: 0, ok: 0 });
  const operations = {
    ...{ impression: none(), click: none(), stats: none(), surfaces: none(), payouts: none() },
  };
  /** Ids in the answers, up to one more than {@link MAX_IDS}. */
  const ids = new Set<string>();
  let credited = 0;

  function addId(id: string | undefined): void {
    if (id !== undefined && ids.size <= MAX_IDS) ids.add(id);
  }
  return {
    ids,
    /** Called millions of times. */
    count(exchange: ClientExchange): void {
      const { operation, outcome, status, text } = exchange;
      const kind = outcomeKind(exchange);
      counts.sent += 1;
      if (kind !== "other") counts[kind] += 1;
      if (operation !== undefined) {
        operations[operation].sent += 1;
        if (kind === "ok") operations[operation].ok += 1;
      }
      if (outcome !== "answered") return;
      statuses[status] = (statuses[status] ?? 0) + 1;
      const micros = nearestMicros(Number(CREDITED.exec(text)?.[1] ?? 0));
      if (Number.isFinite(micros)) credited += micros;
      if (kind === "ok") addId(ID.exec(text)?.[1]);
    },
    addPunctuality: (punctuality: Punctuality): void => addTo(counts, punctuality),
    /** Adds the counts of another tally. */
    add(other: { summary(): TallySummary; readonly ids: ReadonlySet<string> }): void {
      const { statuses: answers, operations: called, ...rest } = other.summary();
      const { creditedInr, differentIds: _, ...same } = rest;
      addTo(counts, same);
      addTo(statuses, answers);
      for (const id of operationIds) addTo(operations[id], called[id]);
      for (const id of other.ids) addId(id);
      credited += nearestMicros(creditedInr);
    },
    summary: (): TallySummary => ({
      ...counts,
      statuses: { ...statuses },
      creditedInr: microsToInr(credited),
      differentIds: ids.size > MAX_IDS ? undefined : ids.size,
      operations: structuredClone(operations),
    }),
  };
}

/** What became of a request, as a tally counts it. */
export function outcomeKind({
  outcome,
  status,
}: ClientExchange): "ok" | "refused" | "failed" | "other" | "cut" | "lost" | "timedOut" {
  if (outcome !== "answered") return outcome === "timed-out" ? "timedOut" : outcome;
  if (status === 200) return "ok";
  if (status >= 500) return "failed";
  return status >= 400 ? "refused" : "other";
}

/** Adds numbers to those of the same names. */
export function addTo<Name extends string>(
  sums: NoInfer<Record<Name, number>>,
  more: Readonly<Record<Name, number>>,
): void {
  for (const name of Object.keys(more) as Name[]) sums[name] = (sums[name] ?? 0) + more[name];
}

/** Latencies in milliseconds, rounded to four digits. */
export interface LatencySummary {
  readonly p50: number;
  readonly p90: number;
  readonly p95: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
  readonly mean: number;
}

/** `digits`: how many significant digits of each latency are kept. */
export function createLatencies(digits = 4) {
  /** How often each latency was recorded. */
  const counts = new Map<number, number>();
  function add(latencyMs: number, times: number): void {
    counts.set(latencyMs, (counts.get(latencyMs) ?? 0) + times);
  }
  return {
    counts,
    record(latencyMs: number): void {
      // In virtual time most latencies are 0.
      add(latencyMs === 0 ? 0 : Number(toMicrosecond(latencyMs).toPrecision(digits)), 1);
    },
    /** Adds the recorded latencies of `others`. */
    add(others: { readonly counts: ReadonlyMap<number, number> }): void {
      for (const [latencyMs, times] of others.counts) add(latencyMs, times);
    },
    /** Undefined if nothing was recorded. */
    summary: () => (counts.size === 0 ? undefined : summaryOf(counts)),
  };
}

function summaryOf(counts: ReadonlyMap<number, number>): LatencySummary {
  const sorted = Array.from(counts).sort(([left], [right]) => left - right);
  const total = sorted.reduce((so, [, times]) => so + times, 0);
  const sumMs = sorted.reduce((so, [latencyMs, times]) => so + latencyMs * times, 0);
  /** By nearest rank. */
  function at(perMille: number): number {
    let rank = Math.ceil((total * perMille) / 1000);
    for (const [latencyMs, times] of sorted) {
      rank -= times;
      if (rank <= 0) return latencyMs;
    }
    return 0;
  }
  return {
    ...{ p50: at(500), p90: at(900), p95: at(950), p99: at(990), p999: at(999), max: at(1000) },
    mean: toMicrosecond(sumMs / total),
  };
}

function toMicrosecond(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

/** A run over time, in at most 240 buckets of equal width. When there would be more, neighbours are merged. */

import type { ClientExchange } from "../../invariants/client-exchange.ts";
import { creditedMicros } from "./credited.ts";
import { createLatencies, type Latencies } from "./latencies.ts";
import { addCounts, type Counts, countExchange, noCounts, totalsOf } from "./tally.ts";

export interface TimelineBucket {
  /** Start of the bucket, in milliseconds from the beginning of the run. */
  readonly atMs: number;
  readonly sent: number;
  readonly ok: number;
  readonly refused: number;
  readonly failed: number;
  /** Cut, lost or timed out. */
  readonly unanswered: number;
  readonly statuses: Readonly<Record<string, number>>;
  readonly creditedInr: number;
  readonly p50: number;
  readonly p99: number;
}

export interface TimelineSummary {
  readonly bucketMs: number;
  readonly buckets: readonly TimelineBucket[];
}

export interface Timeline {
  /** Called millions of times. `micros`: the credited revenue in the answer, if already known. */
  count(exchange: ClientExchange, micros?: number): void;
  /** Leaves out buckets in which nothing was sent. */
  summary(): TimelineSummary;
}

interface Bucket {
  readonly counts: Counts;
  readonly latencies: Latencies;
}

const FIRST_WIDTH_MS = 100;
const MAX_BUCKETS = 240;

/** `startMs`: when the run begins, on the target's clock. */
export function createTimeline(startMs: number): Timeline {
  let widthMs = FIRST_WIDTH_MS;
  let buckets = new Map<number, Bucket>();

  function bucketAt(place: number): Bucket {
    const known = buckets.get(place);
    if (known !== undefined) return known;
    // Two digits are enough for a chart, and there can be hundreds of buckets.
    const bucket = { counts: noCounts(), latencies: createLatencies(2) };
    buckets.set(place, bucket);
    return bucket;
  }

  function merge(): void {
    const before = buckets;
    widthMs *= 2;
    buckets = new Map();
    for (const [place, { counts, latencies }] of before) {
      const into = bucketAt(Math.floor(place / 2));
      addCounts(into.counts, counts);
      into.latencies.add(latencies);
    }
  }

  return {
    count(exchange, micros = creditedMicros(exchange.text)) {
      const sinceMs = Math.max(exchange.atMs - startMs, 0);
      while (sinceMs >= MAX_BUCKETS * widthMs) merge();
      const { counts, latencies } = bucketAt(Math.floor(sinceMs / widthMs));
      countExchange(counts, exchange, micros);
      latencies.record(exchange.latencyMs);
    },
    summary: () => ({
      bucketMs: widthMs,
      buckets: Array.from(buckets)
        .sort(([left], [right]) => left - right)
        .map(([place, bucket]) => summaryOf(place * widthMs, bucket)),
    }),
  };
}

function summaryOf(atMs: number, { counts, latencies }: Bucket): TimelineBucket {
  const { cut, lost, "timed-out": timedOut } = counts.outcomes;
  const { p50 = 0, p99 = 0 } = latencies.summary() ?? {};
  return { atMs, ...totalsOf(counts), unanswered: cut + lost + timedOut, p50, p99 };
}

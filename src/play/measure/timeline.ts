/** A run over time, in at most 240 buckets of equal width. When there would be more, neighbours are merged. */

import type { ClientExchange } from "../../invariants/client-exchange.ts";
import { addTo, createLatencies, outcomeKind } from "./tally.ts";

export interface TimelineBucket {
  /** Start of the bucket, in milliseconds from the beginning of the run. */
  readonly atMs: number;
  readonly sent: number;
  readonly ok: number;
  readonly refused: number;
  readonly failed: number;
  /** Cut, lost or timed out. */
  readonly unanswered: number;
  readonly p50: number;
  readonly p99: number;
}

export interface TimelineSummary {
  readonly bucketMs: number;
  readonly buckets: readonly TimelineBucket[];
}

type Bucket = ReturnType<typeof emptyBucket>;

const FIRST_WIDTH_MS = 100;
const MAX_BUCKETS = 240;

/** `startMs`: when the run begins, on the target's clock. */
export function createTimeline(startMs: number) {
  let widthMs = FIRST_WIDTH_MS;
  let buckets = new Map<number, Bucket>();

  function bucketAt(place: number): Bucket {
    const bucket = buckets.get(place) ?? emptyBucket();
    buckets.set(place, bucket);
    return bucket;
  }
  function merge(): void {
    const before = buckets;
    widthMs *= 2;
    buckets = new Map();
    for (const [place, { counts, latencies }] of before) {
      const into = bucketAt(Math.floor(place / 2));
      addTo(into.counts, counts);
      into.latencies.add(latencies);
    }
  }
  return {
    /** Called millions of times. */
    count(exchange: ClientExchange): void {
      const sinceMs = Math.max(exchange.atMs - startMs, 0);
      while (sinceMs >= MAX_BUCKETS * widthMs) merge();
      const { counts, latencies } = bucketAt(Math.floor(sinceMs / widthMs));
      const kind = outcomeKind(exchange);
      counts.sent += 1;
      if (kind === "ok" || kind === "refused" || kind === "failed") counts[kind] += 1;
      else if (kind !== "other") counts.unanswered += 1;
      latencies.record(exchange.latencyMs);
    },
    /** All buckets up to the last request's, also those in which nothing was sent. */
    summary: (): TimelineSummary => ({
      bucketMs: widthMs,
      buckets: Array.from({ length: Math.max(-1, ...buckets.keys()) + 1 }, (_, place) => {
        const { counts, latencies } = buckets.get(place) ?? emptyBucket();
        const { p50 = 0, p99 = 0 } = latencies.summary() ?? {};
        return { atMs: place * widthMs, ...counts, p50, p99 };
      }),
    }),
  };
}

function emptyBucket() {
  const counts = { sent: 0, ok: 0, refused: 0, failed: 0, unanswered: 0 };
  // Two digits are enough for a chart, and there can be hundreds of buckets.
  return { counts, latencies: createLatencies(2) };
}

/** A run over time, in at most 240 buckets of equal width. When there would be more, neighbours are merged. */

import { microsToInr } from "../../base/money.ts";
import type { ClientExchange } from "../../invariants/client-exchange.ts";

import { creditedMicros } from "./credited.ts";
import { createLatencies, type Latencies } from "./latencies.ts";
import { answersFrom } from "./tally.ts";

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
  sent: number;
  /** Whole answers with status 200. They are the most frequent, so they need no look-up. */
  ok: number;
  unanswered: number;
  micros: number;
  /** Number of whole answers by other status. */
  readonly others: Map<number, number>;
  readonly latencies: Latencies;
}

const FIRST_WIDTH_MS = 100;
const MAX_BUCKETS = 240;

/** `startMs`: when the run begins, on the target's clock. */
export function createTimeline(startMs: number): Timeline {
  let widthMs = FIRST_WIDTH_MS;
  let buckets: (Bucket | undefined)[] = [];
  let current = createBucket();
  let currentIndex = -1;

  function bucketAt(atMs: number): Bucket {
    const sinceMs = Math.max(atMs - startMs, 0);
    let index = Math.floor(sinceMs / widthMs);
    if (index === currentIndex) return current;
    while (index >= MAX_BUCKETS) {
      widthMs *= 2;
      buckets = merged(buckets);
      index = Math.floor(sinceMs / widthMs);
    }
    current = buckets[index] ?? createBucket();
    currentIndex = index;
    buckets[index] = current;
    return current;
  }

  return {
    count(exchange, micros = creditedMicros(exchange.text)) {
      const bucket = bucketAt(exchange.atMs);
      bucket.sent += 1;
      bucket.latencies.record(exchange.latencyMs);
      if (exchange.outcome !== "answered") bucket.unanswered += 1;
      else if (exchange.status === 200) {
        bucket.ok += 1;
        bucket.micros += micros;
      } else countOther(bucket, exchange.status);
    },
    summary: () => ({
      bucketMs: widthMs,
      buckets: buckets.flatMap((bucket, index) =>
        bucket === undefined ? [] : [summaryOf(bucket, index * widthMs)],
      ),
    }),
  };
}

function createBucket(): Bucket {
  return {
    ...{ sent: 0, ok: 0, unanswered: 0, micros: 0 },
    others: new Map(),
    // Two digits are enough for a chart, and there can be hundreds of histograms.
    latencies: createLatencies(2),
  };
}

function countOther({ others }: Bucket, status: number, more = 1): void {
  others.set(status, (others.get(status) ?? 0) + more);
}

/** Merges each two neighbours. */
function merged(buckets: readonly (Bucket | undefined)[]): (Bucket | undefined)[] {
  return Array.from({ length: Math.ceil(buckets.length / 2) }, (_, index) =>
    sumOf(buckets[2 * index], buckets[2 * index + 1]),
  );
}

function sumOf(into: Bucket | undefined, other: Bucket | undefined): Bucket | undefined {
  if (into === undefined || other === undefined) return into ?? other;
  for (const key of ["sent", "ok", "unanswered", "micros"] as const) {
    into[key] += other[key];
  }
  into.latencies.add(other.latencies);
  for (const [status, count] of other.others) countOther(into, status, count);
  return into;
}

function summaryOf(bucket: Bucket, atMs: number): TimelineBucket {
  const { sent, ok, unanswered, micros, others, latencies } = bucket;
  const { p50 = 0, p99 = 0 } = latencies.summary() ?? {};
  const statuses = { ...(ok === 0 ? {} : { 200: ok }), ...Object.fromEntries(others) };
  const refused = answersFrom(400, 500, others);
  const failed = answersFrom(500, Number.POSITIVE_INFINITY, others);
  const creditedInr = microsToInr(micros);
  return { atMs, sent, ok, refused, failed, unanswered, statuses, creditedInr, p50, p99 };
}

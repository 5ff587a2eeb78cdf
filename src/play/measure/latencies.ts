/**
 * Latencies of any number of requests as an HDR histogram, with three significant digits from a microsecond to an hour.
 * Imports only the needed part of the library, which loads several times as fast.
 */

import {
  constructorFromBucketSize,
  type JsHistogramConstructor,
} from "hdr-histogram-js/dist/JsHistogramFactory.js";

/** Latencies in milliseconds. */
export interface LatencySummary {
  readonly p50: number;
  readonly p90: number;
  readonly p95: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
  readonly mean: number;
}

export interface Latencies {
  record(latencyMs: number): void;
  /** Adds the recorded latencies of `others`. */
  add(others: Latencies): void;
  /** Undefined if nothing was recorded. */
  summary(): LatencySummary | undefined;
}

interface Recorded extends Latencies {
  readonly recorded: {
    zeros: number;
    sumMs: number;
    maxMs: number;
    histogram: Histogram | undefined;
  };
}

const HistogramOf32Bits: JsHistogramConstructor = constructorFromBucketSize(32);
type Histogram = InstanceType<JsHistogramConstructor>;

const MICROSECONDS = 1000;
const HOUR_MICROSECONDS = 3_600_000_000;

/** `significantDigits`: how exact percentiles are. @default 3 */
export function createLatencies(significantDigits: 2 | 3 = 3): Latencies {
  // In virtual time most latencies are 0. These are only counted, and the histogram is made when it is needed.
  const recorded: Recorded["recorded"] = { zeros: 0, sumMs: 0, maxMs: 0, histogram: undefined };

  function ownHistogram(): Histogram {
    recorded.histogram ??= new HistogramOf32Bits(1, HOUR_MICROSECONDS, significantDigits);
    return recorded.histogram;
  }
  const own: Recorded = {
    recorded,
    record(latencyMs) {
      if (latencyMs === 0) {
        recorded.zeros += 1;
        return;
      }
      const microseconds = Math.round(latencyMs * MICROSECONDS);
      ownHistogram().recordValue(Math.min(Math.max(microseconds, 0), HOUR_MICROSECONDS));
      recorded.sumMs += latencyMs;
      if (latencyMs > recorded.maxMs) recorded.maxMs = latencyMs;
    },
    add(others) {
      // The cast is safe: every `Latencies` is created here.
      const { zeros, sumMs, maxMs, histogram: more } = (others as Recorded).recorded;
      recorded.zeros += zeros;
      recorded.sumMs += sumMs;
      recorded.maxMs = Math.max(recorded.maxMs, maxMs);
      if (more !== undefined) ownHistogram().add(more);
    },
    summary() {
      const { zeros, sumMs, maxMs, histogram: held } = recorded;
      const count = zeros + (held?.totalCount ?? 0);
      if (count === 0) return undefined;
      const at = (perMille: number): number => percentile(recorded, count, perMille);
      return {
        p50: at(500),
        p90: at(900),
        p95: at(950),
        p99: at(990),
        p999: at(999),
        max: inMicroseconds(maxMs),
        mean: inMicroseconds(sumMs / count),
      };
    },
  };
  return own;
}

/** The latency that `perMille` of a thousand requests don't exceed, by nearest rank. */
function percentile(
  { zeros, maxMs, histogram }: Recorded["recorded"],
  count: number,
  perMille: number,
): number {
  const rank = Math.ceil((count * perMille) / 1000);
  if (histogram === undefined || rank <= zeros) return 0;
  // The library takes a percentage. The middle of the rank is safe from rounding into the next one.
  const percentage = ((rank - zeros - 0.5) / histogram.totalCount) * 100;
  const highest = histogram.getValueAtPercentile(percentage);
  const shortest = shortestWithin(histogram.lowestEquivalentValue(highest), highest);
  return Math.min(shortest / MICROSECONDS, inMicroseconds(maxMs));
}

/** The number with the fewest digits in a histogram bucket, so that 250 ms is shown as 250, not 250.111. */
function shortestWithin(lowest: number, highest: number): number {
  const middle = (lowest + highest) / 2;
  for (let digits = 1; digits <= 10; digits += 1) {
    const candidate = Number(middle.toPrecision(digits));
    if (candidate >= lowest && candidate <= highest) return candidate;
  }
  return middle;
}

function inMicroseconds(ms: number): number {
  return Math.round(ms * MICROSECONDS) / MICROSECONDS;
}

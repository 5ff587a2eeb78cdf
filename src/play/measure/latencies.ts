/** Latencies of any number of requests: how many took how long, to a few significant digits. */

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

/** Latencies of any number of requests: how many took how long, to a few significant digits. */

/** Latencies in milliseconds. Percentiles are rounded to four digits. */
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
  readonly recorded: Recorded;
}

interface Recorded {
  /** How often each latency was recorded. */
  readonly counts: Map<number, number>;
  sumMs: number;
  maxMs: number;
}

/** `digits`: how exact percentiles are. */
export function createLatencies(digits = 4): Latencies {
  const recorded: Recorded = { counts: new Map(), sumMs: 0, maxMs: 0 };
  const { counts } = recorded;

  function add(latencyMs: number, times: number): void {
    counts.set(latencyMs, (counts.get(latencyMs) ?? 0) + times);
  }
  function addTotals(sumMs: number, maxMs: number): void {
    recorded.sumMs += sumMs;
    recorded.maxMs = Math.max(recorded.maxMs, maxMs);
  }
  return {
    recorded,
    record(latencyMs) {
      // In virtual time most latencies are 0.
      add(latencyMs === 0 ? 0 : Number(inMicroseconds(latencyMs).toPrecision(digits)), 1);
      addTotals(latencyMs, latencyMs);
    },
    add({ recorded: others }) {
      for (const [latencyMs, times] of others.counts) add(latencyMs, times);
      addTotals(others.sumMs, others.maxMs);
    },
    summary() {
      if (counts.size === 0) return undefined;
      const sorted = Array.from(counts).sort(([left], [right]) => left - right);
      const total = sorted.reduce((sum, [, times]) => sum + times, 0);
      const max = inMicroseconds(recorded.maxMs);
      const at = (perMille: number): number =>
        Math.min(nearestRank(sorted, Math.ceil((total * perMille) / 1000)), max);
      return {
        ...{ p50: at(500), p90: at(900), p95: at(950), p99: at(990), p999: at(999) },
        ...{ max, mean: inMicroseconds(recorded.sumMs / total) },
      };
    },
  };
}

/** The latency that comes at this place, from 1, in ascending order. */
function nearestRank(sorted: readonly (readonly [number, number])[], rank: number): number {
  let passed = 0;
  for (const [latencyMs, times] of sorted) {
    passed += times;
    if (passed >= rank) return latencyMs;
  }
  return 0;
}

function inMicroseconds(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

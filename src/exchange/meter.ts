/** Counts the requests to all worlds of a server, for its metrics. */

import { verdictKinds } from "../faults/plan.ts";
import type { VerdictKind } from "../faults/verdict.ts";
import type { MetricFamily, MetricSample } from "../spec/metrics.ts";
import { type LimitClass, type OperationId, operations } from "../spec/operations.ts";

/** Counts requests, their durations, refusals by a rate limit, and faults. */
export interface Meter {
  /** Real time in milliseconds. */
  readonly now: () => number;
  /**
   * Call it after an answer. `operation` may be `preflight`, or `none` for a request that reaches no operation; `status` is 0
   * if the client got no response.
   */
  answered(operation: OperationId | "preflight" | "none", status: number, tookMs: number): void;
  /** Call it if a rate limit refused a request. */
  limited(operation: OperationId): void;
  /** Call it if a fault rule decided on a request. */
  fired(kind: VerdictKind): void;
  /** The metrics so far. */
  families(): MetricFamily[];
}

/** Upper bounds in seconds. A request usually takes microseconds; a long list takes milliseconds. */
const BOUNDS = [
  0.000005,
  0.00001,
  0.000025,
  0.00005,
  0.0001,
  0.00025,
  0.0005,
  0.001,
  0.0025,
  0.005,
  0.01,
  0.1,
  1,
  Number.POSITIVE_INFINITY,
] as const;

export function createMeter(now: () => number): Meter {
  /** By operation, then by status. */
  const requests = new Map<string, Map<number, number>>();
  const durations = BOUNDS.map(() => 0);
  let totalMs = 0;
  const refusals = new Map<LimitClass, number>([
    ["recording", 0],
    ["reporting", 0],
  ]);
  const faults = new Map<VerdictKind, number>(verdictKinds.map((kind) => [kind, 0]));

  function requestSamples(): MetricSample[] {
    return Array.from(requests, ([operation, counts]) =>
      Array.from(counts, ([status, value]) => ({
        labels: { operation, status: status === 0 ? "none" : String(status) },
        value,
      })),
    ).flat();
  }

  function durationSamples(): MetricSample[] {
    let count = 0;
    const buckets = BOUNDS.map((bound, index): MetricSample => {
      count += durations[index] ?? 0;
      const le = Number.isFinite(bound) ? String(bound) : "+Inf";
      return { part: "bucket", labels: { le }, value: count };
    });
    return [
      ...buckets,
      { part: "sum", labels: {}, value: totalMs / 1000 },
      { part: "count", labels: {}, value: count },
    ];
  }

  return {
    now,
    answered(operation, status, tookMs) {
      const counts = requests.get(operation) ?? new Map<number, number>();
      requests.set(operation, counts);
      increment(counts, status);
      totalMs += tookMs;
      const bucket = BOUNDS.findIndex((bound) => tookMs <= bound * 1000);
      durations[bucket] = (durations[bucket] ?? 0) + 1;
    },
    limited: (operation) => increment(refusals, operations[operation].limit),
    fired: (kind) => increment(faults, kind),
    families: () => [
      {
        name: "adsim_requests_total",
        help: "Requests to the API by operation (none: the request names no operation; preflight: a browser asked whether a page may send a request) and status (none: a fault rule left the client without a response).",
        type: "counter",
        samples: requestSamples(),
      },
      {
        name: "adsim_request_duration_seconds",
        help: "How long the simulator took to answer a request, without delays by fault rules.",
        type: "histogram",
        samples: durationSamples(),
      },
      {
        name: "adsim_rate_limit_refusals_total",
        help: "Requests that a rate limit refused.",
        type: "counter",
        samples: samplesBy("limit", refusals),
      },
      {
        name: "adsim_faults_fired_total",
        help: "Requests that a fault rule decided on, by kind of verdict.",
        type: "counter",
        samples: samplesBy("kind", faults),
      },
    ],
  };
}

function increment<Name>(counts: Map<Name, number>, name: Name): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function samplesBy(label: string, counts: Iterable<readonly [string, number]>): MetricSample[] {
  return Array.from(counts, ([name, value]) => ({ labels: { [label]: name }, value }));
}

/**
 * Counts the requests to all worlds of a server. This runs for every request, so it only adds to preallocated arrays; the
 * metrics are built on demand.
 */

import { verdictKinds } from "../faults/plan.ts";
import type { VerdictKind } from "../faults/verdict.ts";
import type { PREFLIGHT } from "../journal/record.ts";
import type { MetricFamily, MetricSample } from "../spec/metrics.ts";
import { type LimitClass, type OperationId, operations } from "../spec/operations.ts";

/** The rows of request counts. Requests that reach no operation have another row of their own. */
type Counted = OperationId | typeof PREFLIGHT;

/** Counts requests, their durations, refusals by a rate limit, and faults. */
export interface Meter {
  /** Call it before a request. @returns real time in milliseconds, for {@link answered}; NaN if the request isn't timed. */
  begin(): number;
  /** Call it after an answer. `status` is 0 if the client got no response. */
  answered(operation: Counted | undefined, status: number, beganMs: number): void;
  /** Call it if a rate limit refused a request. */
  limited(operation: OperationId): void;
  /** Call it if a fault rule decided on a request. */
  fired(kind: VerdictKind): void;
  /** The metrics so far. */
  families(): MetricFamily[];
}

const operationRows = {
  stats: 1,
  impression: 2,
  click: 3,
  surfaces: 4,
  payouts: 5,
  preflight: 6,
} as const satisfies Record<Counted, number>;
const UNROUTED_ROW = 0;
const ROWS = 7;
/** Statuses go from 0 (no response) to 599. */
const STATUSES = 600;

/** Upper bounds in seconds. A request usually takes microseconds; a long list takes milliseconds. */
const BOUNDS = [
  0.000005, 0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.1, 1,
] as const;

/** Reading the clock takes about as long as handling a request, so only the first requests and a sample are timed. */
const TIMED_AT_FIRST = 100;
const THEN_ONE_IN = 32;

export function createMeter(nowMs: () => number): Meter {
  const requests = new Float64Array(ROWS * STATUSES);
  const boundsMs = Float64Array.from(BOUNDS, (seconds) => seconds * 1000);
  /** One more than there are bounds, for longer durations. */
  const durations = new Float64Array(BOUNDS.length + 1);
  let totalMs = 0;
  let begun = 0;
  const refusals: Record<LimitClass, number> = { recording: 0, reporting: 0 };
  const faults = new Map<VerdictKind, number>(verdictKinds.map((kind) => [kind, 0]));

  return {
    begin() {
      begun += 1;
      return begun <= TIMED_AT_FIRST || begun % THEN_ONE_IN === 0 ? nowMs() : Number.NaN;
    },
    answered(operation, status, beganMs) {
      const row = operation === undefined ? UNROUTED_ROW : operationRows[operation];
      const place = row * STATUSES + status;
      requests[place] = (requests[place] ?? 0) + 1;
      if (Number.isNaN(beganMs)) return;
      const tookMs = nowMs() - beganMs;
      totalMs += tookMs;
      let bucket = 0;
      while (bucket < boundsMs.length && tookMs > (boundsMs[bucket] ?? 0)) bucket += 1;
      durations[bucket] = (durations[bucket] ?? 0) + 1;
    },
    limited(operation) {
      refusals[operations[operation].limit] += 1;
    },
    fired(kind) {
      faults.set(kind, (faults.get(kind) ?? 0) + 1);
    },
    families: () => [
      {
        name: "adsim_requests_total",
        help: "Requests to the API by operation (none: the request names no operation; preflight: a browser asked whether a page may send a request) and status (none: a fault rule left the client without a response).",
        type: "counter",
        samples: requestSamples(requests),
      },
      {
        name: "adsim_request_duration_seconds",
        help: "How long the simulator took to answer a request, without delays by fault rules. Measured for the first 100 requests, then for one in 32.",
        type: "histogram",
        samples: durationSamples(durations, totalMs / 1000),
      },
      {
        name: "adsim_rate_limit_refusals_total",
        help: "Requests that a rate limit refused.",
        type: "counter",
        samples: samplesBy("limit", Object.entries(refusals)),
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

function requestSamples(requests: Float64Array): MetricSample[] {
  const rows: readonly (readonly [operation: string, row: number])[] = [
    ["none", UNROUTED_ROW],
    ...Object.entries(operationRows),
  ];
  return rows.flatMap(([operation, row]) =>
    Array.from(requests.subarray(row * STATUSES, (row + 1) * STATUSES), (value, status) => ({
      labels: { operation, status: status === 0 ? "none" : String(status) },
      value,
    })).filter(({ value }) => value > 0),
  );
}

function durationSamples(durations: Float64Array, sum: number): MetricSample[] {
  let count = 0;
  const buckets = Array.from(durations, (own, bucket): MetricSample => {
    count += own;
    const bound = BOUNDS[bucket];
    return {
      part: "bucket",
      labels: { le: bound === undefined ? "+Inf" : String(bound) },
      value: count,
    };
  });
  return [
    ...buckets,
    { part: "sum", labels: {}, value: sum },
    { part: "count", labels: {}, value: count },
  ];
}

function samplesBy(label: string, counts: Iterable<readonly [string, number]>): MetricSample[] {
  return Array.from(counts, ([name, value]) => ({ labels: { [label]: name }, value }));
}

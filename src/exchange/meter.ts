/** Counts the requests to all worlds of a server, for its metrics. */

import { verdictKinds } from "../faults/plan.ts";
import { PREFLIGHT } from "../journal/record.ts";
import type { MetricFamily, MetricSample } from "../spec/metrics.ts";
import { operations } from "../spec/operations.ts";
import type { RequestContext } from "./request-context.ts";

export type Meter = ReturnType<typeof createMeter>;

type Labels = Readonly<Record<string, string>>;
/** How often something happened, by the values of its labels. */
type Counts = Map<string, { readonly labels: Labels; value: number }>;

/** Upper bounds of durations in seconds. A request usually takes microseconds; a long list takes milliseconds. */
const BOUNDS = [0.000005, 0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.01, 0.1, 1];

/** @param now Real time in milliseconds. */
export function createMeter(now: () => number) {
  const requests: Counts = new Map();
  const refusals: Counts = new Map();
  const faults: Counts = new Map();
  /** How many took at most each bound, and more than the one before; then the number of all and their sum. */
  const took = BOUNDS.map(() => 0);
  const all = { count: 0, sum: 0 };
  // These start at 0, so that a query sees their first increase.
  for (const limit of ["recording", "reporting"]) add(refusals, { limit }, 0);
  for (const kind of verdictKinds) add(faults, { kind }, 0);

  return {
    now,
    /** Call it after an answer. `status` is 0 if the client got no response. */
    count(context: RequestContext, status: number, tookMs: number): void {
      const { operation, reason, producedBy, fault } = context;
      const counted = reason === PREFLIGHT ? PREFLIGHT : (operation ?? "none");
      add(requests, { operation: counted, status: status === 0 ? "none" : String(status) });
      if (operation !== undefined && producedBy === "limit") {
        add(refusals, { limit: operations[operation].limit });
      }
      if (fault !== undefined) add(faults, { kind: fault.kind });
      const tookSeconds = tookMs / 1000;
      all.count += 1;
      all.sum += tookSeconds;
      const first = BOUNDS.findIndex((bound) => tookSeconds <= bound);
      if (first !== -1) took[first] = (took[first] ?? 0) + 1;
    },
    /** The metrics so far. */
    families: (): MetricFamily[] => [
      familyOf(
        "adsim_requests_total",
        "Requests to the API by operation (none: the request names no operation; preflight: a browser asked whether a page may send a request) and status (none: a fault rule left the client without a response).",
        requests,
      ),
      {
        name: "adsim_request_duration_seconds",
        help: "How long the simulator took to answer a request, without delays by fault rules.",
        type: "histogram",
        samples: [
          ...BOUNDS.map((bound, index) => bucket(String(bound), sumTo(took, index))),
          bucket("+Inf", all.count),
          { part: "sum", labels: {}, value: all.sum },
          { part: "count", labels: {}, value: all.count },
        ],
      },
      familyOf("adsim_rate_limit_refusals_total", "Requests that a rate limit refused.", refusals),
      familyOf(
        "adsim_faults_fired_total",
        "Requests that a fault rule decided on, by kind of verdict.",
        faults,
      ),
    ],
  };
}

function add(counts: Counts, labels: Labels, by = 1): void {
  const name = Object.values(labels).join(" ");
  const counted = counts.get(name);
  if (counted === undefined) counts.set(name, { labels, value: by });
  else counted.value += by;
}

function sumTo(values: readonly number[], last: number): number {
  return values.slice(0, last + 1).reduce((sum, value) => sum + value, 0);
}

function bucket(le: string, value: number): MetricSample {
  return { part: "bucket", labels: { le }, value };
}

function familyOf(name: string, help: string, counts: Counts): MetricFamily {
  const samples = Array.from(counts.values(), (one) => ({ ...one }));
  return { name, help, type: "counter", samples };
}

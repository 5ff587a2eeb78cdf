/** Turns a scenario's thresholds into those of k6, and says which of them k6 can't judge as adsim does. */

import { formatList } from "../../base/did-you-mean.ts";
import { parseThreshold, type Threshold } from "../../play/measure/thresholds.ts";

export interface K6Thresholds {
  /** By metric, as in k6's options. */
  readonly thresholds: Readonly<Record<string, readonly string[]>>;
  /** In sentences for the user. */
  readonly leftOut: readonly string[];
}

/** `planned`: how many requests there will be. k6 has no share of dropped iterations, only their number. */
export function k6ThresholdsOf(texts: readonly string[], planned: number): K6Thresholds {
  const thresholds: Record<string, string[]> = {};
  const unknown: string[] = [];
  for (const text of texts) {
    const threshold = parseThreshold(text);
    const [metric, aggregation, bound] = judgedBy(threshold, planned) ?? [];
    if (metric === undefined) unknown.push(text);
    else {
      const comparison = threshold.comparison === "=" ? "==" : threshold.comparison;
      thresholds[metric] = [...(thresholds[metric] ?? []), `${aggregation}${comparison}${bound}`];
    }
  }
  const hasErrors = "errors" in thresholds || counters.errors in thresholds;
  const leftOut = [
    ...(unknown.length === 0 ? [] : [`thresholds: k6 can't judge ${formatList(unknown)}`]),
    ...(hasErrors && !("dropped_iterations" in thresholds)
      ? ["thresholds: k6 doesn't count dropped requests as errors; add a threshold for dropped"]
      : []),
  ];
  return { thresholds, leftOut };
}

const counters = { errors: "error_count", refused: "refused_count" } as const;
const percentiles = {
  ...{ p50: "p(50)", p90: "p(90)", p95: "p(95)", p99: "p(99)", p999: "p(99.9)" },
  ...{ max: "max", mean: "avg" },
} as const;

/** What k6 compares, and with what: a share from 0 to 1, milliseconds, or a count. */
function judgedBy(
  { of, unit, bound, comparison }: Threshold,
  planned: number,
): [metric: string, aggregation: string, bound: number] | undefined {
  switch (of) {
    case "errors":
    case "refused":
      // A share has at most six decimals as a percentage.
      if (unit === "%") return [of, "rate", Number((bound / 100).toFixed(8))];
      return [counters[of], "count", bound];
    case "dropped": {
      const round = comparison === "<" ? Math.ceil : Math.floor;
      const count = unit === "%" ? round((bound * planned) / 100) : bound;
      return ["dropped_iterations", "count", count];
    }
    case "sent":
      return ["http_reqs", "count", bound];
    case "late":
    case "invariants":
      return undefined;
    default:
      return ["http_req_duration", percentiles[of], bound];
  }
}

/** Turns a scenario's thresholds into those of k6, and says which of them k6 can't judge as adsim does. */

import { formatList } from "../../base/did-you-mean.ts";
import { parseThreshold, type Threshold } from "../../play/measure/thresholds.ts";

export interface K6Thresholds {
  /** By metric, as in k6's options. */
  readonly thresholds: Readonly<Record<string, readonly string[]>>;
  /** In sentences for the user. */
  readonly leftOut: readonly string[];
}

/** What k6 compares, and with what: a share from 0 to 1, milliseconds, or a count. */
interface Judged {
  readonly metric: string;
  readonly aggregation: string;
  readonly bound: number;
}

/** `planned`: how many requests there will be. k6 has no share of dropped iterations, only their number. */
export function k6ThresholdsOf(texts: readonly string[], planned: number): K6Thresholds {
  const thresholds: Record<string, string[]> = {};
  const unknown: string[] = [];
  for (const text of texts) {
    const threshold = parseThreshold(text);
    const judged = judgedBy(threshold, planned);
    if (judged === undefined) {
      unknown.push(text);
      continue;
    }
    const { metric, aggregation, bound } = judged;
    const comparison = threshold.comparison === "=" ? "==" : threshold.comparison;
    thresholds[metric] ??= [];
    thresholds[metric].push(`${aggregation}${comparison}${bound}`);
  }
  const hasErrors = "errors" in thresholds || counters.errors in thresholds;
  const hasDropped = "dropped_iterations" in thresholds;
  return {
    thresholds,
    leftOut: [
      ...(unknown.length === 0 ? [] : [`thresholds: k6 can't judge ${formatList(unknown)}`]),
      ...(hasErrors && !hasDropped ? [DROPPED] : []),
    ],
  };
}

const DROPPED =
  "thresholds: k6 doesn't count dropped requests as errors; add a threshold for dropped";

function judgedBy(threshold: Threshold, planned: number): Judged | undefined {
  const { of, unit, digits, decimals } = threshold;
  switch (of) {
    case "errors":
    case "refused": {
      if (unit !== "%") return { metric: counters[of], aggregation: "count", bound: digits };
      return { metric: of, aggregation: "rate", bound: shareOf(threshold) };
    }
    case "dropped": {
      const round = threshold.comparison === "<" ? Math.ceil : Math.floor;
      // Divided last, so that a whole number stays whole.
      const bound = unit === "%" ? round((digits * planned) / Number(`1e${decimals + 2}`)) : digits;
      return { metric: "dropped_iterations", aggregation: "count", bound };
    }
    case "sent":
      return { metric: "http_reqs", aggregation: "count", bound: digits };
    case "late":
    case "invariants":
      return undefined;
    default:
      return { metric: "http_req_duration", aggregation: aggregations[of], bound: digits };
  }
}

const counters = { errors: "error_count", refused: "refused_count" } as const;

const aggregations = {
  p50: "p(50)",
  p90: "p(90)",
  p95: "p(95)",
  p99: "p(99)",
  p999: "p(99.9)",
  max: "max",
  mean: "avg",
} as const;

function shareOf({ digits, decimals }: Threshold): number {
  return digits / Number(`1e${decimals + 2}`);
}

/** How many arrivals a traffic step has at most, clicks aside, without drawing any of them. */

import { DAY_MS, durationMs } from "../../base/duration.ts";
import type { Arrivals, Traffic } from "../traffic/traffic.ts";
import { ratePerMs } from "./rate.ts";

/** An upper bound; of random arrivals one that isn't exceeded in practice. */
export function plannedArrivals({ arrivals, for: lasting }: Traffic): number {
  return Math.ceil(mostOf(arrivals, durationMs(lasting)));
}

function mostOf(arrivals: Arrivals, ms: number): number {
  switch (arrivals.kind) {
    case "constant":
      return perMs(arrivals.rate) * ms;
    case "ramp":
      return scattered(((perMs(arrivals.from) + perMs(arrivals.to)) / 2) * ms);
    case "poisson":
      return scattered(perMs(arrivals.rate) * ms);
    case "daily": {
      const weights = arrivals.hours ?? [];
      const all = weights.reduce((sum, weight) => sum + weight, 0);
      // A publisher's usual day has no hour with more than three times the mean.
      const peak = all > 0 ? (24 * Math.max(...weights)) / all : 3;
      const rest = ms % DAY_MS;
      return scattered(perMs(arrivals.mean) * (ms - rest + Math.min(DAY_MS, rest * peak)));
    }
    case "burst":
      return (
        arrivals.count *
        (arrivals.every === undefined ? 1 : Math.ceil(ms / durationMs(arrivals.every)))
      );
    case "trace":
      return arrivals.atMs.length;
  }
}

/** Six standard deviations more: by the means' inequality 6·√m is at most m/10 + 90, and at most m/100 + 900. */
function scattered(mean: number): number {
  return mean + Math.min(mean / 10 + 90, mean / 100 + 900);
}

function perMs(rate: string): number {
  return ratePerMs(rate) ?? 0;
}

/** Parses rates as users write them ("8000/m") into requests per millisecond. */

import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../base/duration.ts";
import type { Rate } from "./traffic.ts";

const unitMs: Readonly<Record<string, number>> = { s: 1000, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };

/** Requests per millisecond. The rate's form has been checked. */
export function parseRate(rate: Rate): number {
  const [count, unit = ""] = rate.split("/");
  return Number(count) / (unitMs[unit] ?? Number.NaN);
}

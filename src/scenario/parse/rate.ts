/** Rates as scenarios write them ("8000/m"): so many requests in a unit of time. */

import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../base/duration.ts";

export const RATE_EXPECTED: string =
  'must be a number and a unit of time, such as "8000/m", "133.5/s", "500/h" or "11520000/d"';

export const RATE: RegExp = /^(\d{1,12}(?:\.\d{1,6})?)\/([smhd])$/;
const unitMs: Readonly<Record<string, number>> = { s: 1000, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };

/** Requests in a millisecond. Undefined of what isn't a rate. */
export function ratePerMs(rate: unknown): number | undefined {
  const match = typeof rate === "string" ? RATE.exec(rate) : null;
  const unit = unitMs[match?.[2] ?? ""];
  return match === null || unit === undefined ? undefined : Number(match[1]) / unit;
}

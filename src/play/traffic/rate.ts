/** Rates as users write them ("8000/m"), as arrivals in a millisecond. */

import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../base/duration.ts";
import type { Rate } from "./traffic.ts";

const unitMs: Readonly<Record<string, number>> = { s: 1000, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };

/** What a field that isn't a rate is told. */
export const RATE_EXPECTED: string =
  'must be a number of requests in a unit of time, such as "133.5/s", "8000/m", "500/h" or "11520000/d"';

export const RATE: RegExp = /^(\d{1,12}(?:\.\d{1,6})?)\/([smhd])$/;

/** Requests in a millisecond; undefined for what isn't a rate. */
export function parseRate(text: unknown): number | undefined {
  if (typeof text !== "string") return undefined;
  const match = RATE.exec(text);
  const unit = unitMs[match?.[2] ?? ""];
  return match === null || unit === undefined ? undefined : Number(match[1]) / unit;
}

/** Requests in a millisecond, of a rate that has been checked. */
export function ratePerMs(rate: Rate): number {
  const perMs = parseRate(rate);
  if (perMs === undefined) throw new Error(`${rate} is no rate. This is a bug in adsim.`);
  return perMs;
}

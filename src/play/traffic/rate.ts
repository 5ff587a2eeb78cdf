/** Parses rates as users write them ("8000/m") into requests per millisecond. */

import { assert } from "../../base/assert.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../base/duration.ts";
import type { Rate } from "./traffic.ts";

const unitMs: Readonly<Record<string, number>> = { s: 1000, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };

const RATE = /^(\d{1,12}(?:\.\d{1,6})?)\/([smhd])$/;

/** Requests per millisecond; undefined if it isn't a rate. */
export function parseRate(text: unknown): number | undefined {
  if (typeof text !== "string") return undefined;
  const match = RATE.exec(text);
  const unit = unitMs[match?.[2] ?? ""];
  return match === null || unit === undefined ? undefined : Number(match[1]) / unit;
}

/** Requests per millisecond, for a validated rate. */
export function ratePerMs(rate: Rate): number {
  const perMs = parseRate(rate);
  assert(perMs !== undefined, `${rate} is not a rate.`);
  return perMs;
}

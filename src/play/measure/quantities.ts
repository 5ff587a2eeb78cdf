/** Formats quantities for people, the same on every machine. */

import { microsToInr, nearestMicros } from "../../base/money.ts";

/** "12,345". */
export function readableCount(count: number): string {
  return grouped(String(count));
}

/** "1 request", "12,345 requests". */
export function plural(count: number, noun: string): string {
  return `${readableCount(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** "0 ms", "4.25 ms", "1.5 s". */
export function readableMs(ms: number): string {
  return ms < 1000 ? `${rounded(ms)} ms` : `${rounded(ms / 1000)} s`;
}

/** A percentage: "0 %", "0.05 %". A positive share never shows as 0 %, and a smaller part never as 100 %. */
export function readableShare(part: number, whole: number): string {
  if (whole === 0) return "0 %";
  const percentage = Math.round((part / whole) * 100_000) / 1000;
  if (part > 0 && percentage === 0) return "below 0.001 %";
  if (part < whole && percentage === 100) return "above 99.999 %";
  return `${percentage} %`;
}

/** "1,234.5 INR", exact to the micro. */
export function readableInr(inr: number): string {
  const [whole = "", fraction] = String(microsToInr(nearestMicros(inr))).split(".");
  return `${grouped(whole)}${fraction === undefined ? "" : `.${fraction}`} INR`;
}

/** A duration in at most two units: "250 ms", "1.5 s", "2 min 5 s", "3 h", "31 d 2 h". The rest is left out. */
export function readableDuration(ms: number): string {
  if (ms < 60_000) return readableMs(ms);
  const seconds = Math.floor(ms / 1000);
  const parts: readonly (readonly [number, string])[] = [
    [Math.floor(seconds / 86_400), "d"],
    [Math.floor(seconds / 3600) % 24, "h"],
    [Math.floor(seconds / 60) % 60, "min"],
    [seconds % 60, "s"],
  ];
  const first = parts.findIndex(([count]) => count > 0);
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(" ");
}

/** At most three decimals. */
function rounded(value: number): string {
  return String(Math.round(value * 1000) / 1000);
}

function grouped(digits: string): string {
  return digits.replaceAll(/\B(?=(\d{3})+$)/g, ",");
}

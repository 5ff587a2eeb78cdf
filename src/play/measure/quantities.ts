/** Formats quantities for people, the same on every machine. */

import { durationInWords } from "../../base/duration.ts";

/** "12,345". */
export function readableCount(count: number): string {
  return grouped(count, 0);
}

/** "1 request", "12,345 requests". */
export function plural(count: number, noun: string): string {
  return `${readableCount(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** "0 ms", "4.25 ms", "1.5 s". */
export function readableMs(ms: number): string {
  return ms < 1000 ? `${grouped(ms, 3)} ms` : `${grouped(ms / 1000, 3)} s`;
}

/** A percentage: "0 %", "0.05 %". Few of many may show as 0 %, so show the counts beside it. */
export function readableShare(part: number, whole: number): string {
  return `${grouped((100 * part) / whole, 3)} %`;
}

/** "1,234.5 INR", exact to the micro. */
export function readableInr(inr: number): string {
  return `${grouped(inr, 6)} INR`;
}

/** A duration in at most two units: "250 ms", "1.5 s", "2 min 5 s", "3 h", "31 d 2 h". The rest is left out. */
export function readableDuration(ms: number): string {
  if (ms < 60_000) return readableMs(ms);
  const words = durationInWords(Math.floor(ms / 1000) * 1000).split(" ");
  return words.slice(0, 4).join(" ");
}

function grouped(value: number, decimals: number): string {
  const [whole = "", fraction] = String(Number(value.toFixed(decimals))).split(".");
  const digits = whole.replaceAll(/\B(?=(\d{3})+$)/g, ",");
  return fraction === undefined ? digits : `${digits}.${fraction}`;
}

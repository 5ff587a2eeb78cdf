/** Bounds of a whole run, such as "p99 < 50ms" or "errors < 0.1%": read before anything is played, judged at the end. */

import { listed } from "../../base/did-you-mean.ts";
import { durationMs, isDuration } from "../../base/duration.ts";
import { editDistance } from "../../base/edit-distance.ts";
import { InputError } from "../../base/input.ts";
import type { LatencySummary, ThresholdResult } from "../player/result.ts";
import { readableCount, readableMs, readableShare } from "./quantities.ts";
import type { TallySummary } from "./tally.ts";

export type Threshold = {
  /** As written. */
  readonly text: string;
  readonly comparison: Comparison;
} & (
  | { readonly kind: "latency"; readonly of: Percentile; readonly ms: number }
  /** Per cent of what was to be sent: `digits` / 10^`decimals`. */
  | {
      readonly kind: "share";
      readonly of: Counted;
      readonly digits: number;
      readonly decimals: number;
    }
  | { readonly kind: "count"; readonly of: Counted | "sent" | "invariants"; readonly count: number }
);

/** What a run came to. */
export interface Measured {
  readonly tally: TallySummary;
  readonly latency: LatencySummary | undefined;
  /** How many invariants are broken. Undefined where nothing is known of any. */
  readonly brokenInvariants: number | undefined;
}

type Percentile = keyof LatencySummary;
type Counted = "errors" | "refused" | "late" | "dropped";
type Comparison = "<" | "<=" | "=" | ">=" | ">";

interface Form {
  readonly comparisons: readonly Comparison[];
  /** How it may be written. */
  readonly example: string;
}

const latencyForm: Form = { comparisons: ["<", "<="], example: "50ms" };
const countForm: Form = { comparisons: ["<", "<=", "="], example: "0.1% or 0" };
const forms: Readonly<Record<Threshold["of"], Form>> = {
  p50: latencyForm,
  p90: latencyForm,
  p99: latencyForm,
  p999: latencyForm,
  max: latencyForm,
  mean: latencyForm,
  errors: countForm,
  refused: countForm,
  late: countForm,
  dropped: countForm,
  invariants: { comparisons: ["="], example: "0" },
  sent: { comparisons: [">=", ">", "="], example: "1000" },
};

/** @throws InputError without a field: whose threshold it is knows the caller. */
export function parseThreshold(text: string): Threshold {
  const parts = /^\s*([A-Za-z][\w-]{0,19})\s*([<>=!]{1,3})\s*([\w.]{1,24}(?:\s?%)?)\s*$/.exec(text);
  if (parts === null) {
    throw new InputError("", 'must be a measure, a comparison and a bound, such as "p99 < 50ms"');
  }
  const [, name = "", comparison = "", bound = ""] = parts;
  const of = measureOf(name);
  const { comparisons, example } = forms[of];
  if (!isOneOf(comparisons, comparison)) {
    const allowed = comparisons.map((each) => `"${of} ${each} ${example.split(" ")[0]}"`);
    throw new InputError("", `must compare ${of} as in ${listed(allowed, "or")}`);
  }
  if (comparison === "<" && /^[0.]+\s?(?:%|[a-z]*)$/.test(bound)) {
    const closest = forms[of] === latencyForm ? "<=" : "=";
    throw new InputError(
      "",
      `can never hold: nothing is below 0. Write "${of} ${closest} ${bound}"`,
    );
  }
  switch (of) {
    case "errors":
    case "refused":
    case "late":
    case "dropped":
      return { text, comparison, ...countedBound(of, bound) };
    case "sent":
      return { text, comparison, kind: "count", of, count: wholeNumber(of, bound) };
    case "invariants":
      if (bound !== "0") throw new InputError("", 'must be "invariants = 0": none may be broken');
      return { text, comparison, kind: "count", of, count: 0 };
    default:
      return { text, comparison, kind: "latency", of, ms: latencyBound(of, bound) };
  }
}

export function judgeThreshold(threshold: Threshold, measured: Measured): ThresholdResult {
  const { text, comparison } = threshold;
  const { tally, latency } = measured;
  const planned = tally.sent + tally.dropped;
  const unknown = (found: string): ThresholdResult => ({
    threshold: text,
    verdict: "unknown",
    found,
  });
  const judged = (left: number, right: number, found: string): ThresholdResult => ({
    threshold: text,
    verdict: holds(left, comparison, right) ? "held" : "broken",
    found,
  });
  if (threshold.of === "invariants") {
    const { brokenInvariants: broken } = measured;
    if (broken === undefined) return unknown("nothing is known of any invariant");
    return judged(broken, threshold.count, `${broken} broken`);
  }
  if (planned === 0) return unknown("no requests");
  switch (threshold.kind) {
    case "latency": {
      if (latency === undefined) return unknown("no requests");
      const found = latency[threshold.of];
      if (isTooNear(found, threshold)) {
        return unknown(`${readableMs(found)}, too near to tell: percentiles have three digits`);
      }
      return judged(found, threshold.ms, readableMs(found));
    }
    case "share": {
      const found = countOf(tally, threshold.of);
      const share = `${readableShare(found, planned)} (${readableCount(found)} of ${readableCount(planned)})`;
      // Both sides times 100 · planned · 10^decimals: whole numbers, so exact.
      const scale = Number(`1e${threshold.decimals + 2}`);
      return judged(found * scale, threshold.digits * planned, share);
    }
    case "count": {
      const found = threshold.of === "sent" ? tally.sent : countOf(tally, threshold.of);
      return judged(found, threshold.count, readableCount(found));
    }
  }
}

/** Whether the bound is another figure that the histogram can't tell from what was found. */
function isTooNear(found: number, { of, ms }: Extract<Threshold, { kind: "latency" }>): boolean {
  if (of === "max" || of === "mean" || found === ms) return false;
  return Math.abs(found - ms) < ms / 1000;
}

function measureOf(name: string): Threshold["of"] {
  const known = Object.keys(forms) as Threshold["of"][];
  if (isOneOf(known, name)) return name;
  const near = known.find((each) => name.length > 3 && editDistance(name.toLowerCase(), each) <= 2);
  const meant = known.find((each) => each === name.toLowerCase()) ?? near;
  const hint = meant === undefined ? "" : ` Did you mean ${meant}?`;
  throw new InputError("", `must begin with ${listed(known, "or")}.${hint}`);
}

function countedBound(
  of: Counted,
  bound: string,
):
  | Omit<Extract<Threshold, { kind: "share" }>, "text" | "comparison">
  | Omit<Extract<Threshold, { kind: "count" }>, "text" | "comparison"> {
  const [, whole = "", fraction = ""] = /^(\d{1,3})(?:\.(\d{1,6}))? ?%$/.exec(bound) ?? [];
  const digits = Number(`${whole}${fraction}`);
  const decimals = fraction.length;
  if (whole !== "" && digits <= 100 * Number(`1e${decimals}`)) {
    return { kind: "share", of, digits, decimals };
  }
  if (bound.includes("%")) {
    const expected = 'must be from 0% to 100%, with at most six decimals, such as "0.1%"';
    throw new InputError("", `${expected}, where ${of} is compared with a share`);
  }
  return { kind: "count", of, count: wholeNumber(of, bound) };
}

function wholeNumber(of: Threshold["of"], bound: string): number {
  if (/^\d{1,9}$/.test(bound)) return Number(bound);
  const share = of === "sent" ? "" : ', or a share such as "0.1%"';
  throw new InputError("", `must compare ${of} with a whole number up to 999999999${share}`);
}

function latencyBound(of: Percentile, bound: string): number {
  const text = bound.trimEnd();
  // Digits alone would be milliseconds elsewhere: here the unit is written.
  if (!/^\d+$/.test(text) && isDuration(text)) return durationMs(text);
  const unit = /^[\d.]+$/.test(text) ? ": the unit is missing" : "";
  const expected = `must compare ${of} with a duration in whole units, such as "50ms" or "1s"`;
  throw new InputError("", `${expected}${unit}`);
}

/** Errors are all that got no answer of the service to build on. */
function countOf(tally: TallySummary, of: Counted): number {
  switch (of) {
    case "errors":
      return tally.failed + tally.cut + tally.lost + tally.timedOut + tally.dropped;
    case "refused":
    case "late":
    case "dropped":
      return tally[of];
  }
}

function holds(left: number, comparison: Comparison, right: number): boolean {
  switch (comparison) {
    case "<":
      return left < right;
    case "<=":
      return left <= right;
    case "=":
      return left === right;
    case ">=":
      return left >= right;
    case ">":
      return left > right;
  }
}

function isOneOf<One extends string>(all: readonly One[], text: string): text is One {
  return (all as readonly string[]).includes(text);
}

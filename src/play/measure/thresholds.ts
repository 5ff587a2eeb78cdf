/** Bounds for a whole run, such as "p99 < 50ms" or "errors < 0.1%": parsed before the play, judged at its end. */

import { editDistance, formatList } from "../../base/did-you-mean.ts";
import { durationMs, isDuration } from "../../base/duration.ts";
import { InputError } from "../../base/input.ts";
import type { Result } from "../../invariants/ensure.ts";
import type { LatencySummary } from "./latencies.ts";
import { readableCount, readableMs, readableShare } from "./quantities.ts";
import type { TallySummary } from "./tally.ts";

export interface Threshold {
  /** As written. */
  readonly text: string;
  readonly of: Measure;
  readonly comparison: Comparison;
  /** The bound is `digits` / 10^`decimals` milliseconds, per cent of the planned requests, or a plain count. */
  readonly unit: "ms" | "%" | "";
  readonly digits: number;
  readonly decimals: number;
}

export interface ThresholdResult {
  /** As written. */
  readonly threshold: string;
  readonly result: Result;
  readonly found: string;
}

/** The figures of a run that thresholds are compared with. */
export interface Measured {
  readonly tally: TallySummary;
  readonly latency: LatencySummary | undefined;
  /** How many invariants are broken; undefined if all are unknown. */
  readonly brokenInvariants: number | undefined;
}

type Percentile = keyof LatencySummary;
type Counted = "errors" | "refused" | "late" | "dropped";
type Measure = Percentile | Counted | "sent" | "invariants";
type Bound = Pick<Threshold, "unit" | "digits" | "decimals">;
type Comparison = "<" | "<=" | "=" | ">=" | ">";

interface Form {
  readonly comparisons: readonly Comparison[];
  /** A bound as it can be written. */
  readonly example: string;
}

const latencyForm: Form = { comparisons: ["<", "<="], example: "50ms" };
const countForm: Form = { comparisons: ["<", "<=", "="], example: "0.1% or 0" };
const forms: Readonly<Record<Measure, Form>> = {
  p50: latencyForm,
  p90: latencyForm,
  p95: latencyForm,
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

/** @throws InputError without a field; the caller adds it. */
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
    throw new InputError("", `must compare ${of} as in ${formatList(allowed, "or")}`);
  }
  if (comparison === "<" && /^[0.]+\s?(?:%|[a-z]*)$/.test(bound)) {
    const closest = forms[of] === latencyForm ? "<=" : "=";
    throw new InputError(
      "",
      `can never hold: nothing is below 0. Write "${of} ${closest} ${bound}"`,
    );
  }
  return { text, of, comparison, ...boundOf(of, bound) };
}

function boundOf(of: Measure, bound: string): Bound {
  switch (of) {
    case "errors":
    case "refused":
    case "late":
    case "dropped":
      return shareOf(of, bound) ?? wholeNumber(of, bound);
    case "sent":
      return wholeNumber(of, bound);
    case "invariants":
      if (bound === "0") return { unit: "", digits: 0, decimals: 0 };
      throw new InputError("", 'must be "invariants = 0": none may be broken');
    default:
      return latencyBound(of, bound);
  }
}

export function judgeThreshold(threshold: Threshold, measured: Measured): ThresholdResult {
  const { text, of, comparison, unit, digits, decimals } = threshold;
  const { tally, latency, brokenInvariants: broken } = measured;
  const planned = tally.sent + tally.dropped;
  const unknown = (found: string): ThresholdResult => ({
    threshold: text,
    result: "undecided",
    found,
  });
  const judged = (left: number, right: number, found: string): ThresholdResult => ({
    threshold: text,
    result: holds(left, comparison, right) ? "passed" : "failed",
    found,
  });
  if (of === "invariants") {
    if (broken === undefined) return unknown("no invariant could be judged");
    return judged(broken, digits, `${broken} broken`);
  }
  if (planned === 0) return unknown("no requests");
  if (!isCounted(of)) {
    if (latency === undefined) return unknown("no requests");
    const found = latency[of];
    const isExact = of === "max" || of === "mean" || found === digits;
    // The histogram can't tell the two figures apart.
    if (!isExact && Math.abs(found - digits) < digits / 1000) {
      return unknown(`${readableMs(found)}, too close to tell: percentiles have three digits`);
    }
    return judged(found, digits, readableMs(found));
  }
  const found = countOf(tally, of);
  if (unit !== "%") return judged(found, digits, readableCount(found));
  const share = `${readableShare(found, planned)} (${readableCount(found)} of ${readableCount(planned)})`;
  // Both sides are multiplied by 100 · planned · 10^decimals. They are then whole numbers, so the comparison is exact.
  return judged(found * Number(`1e${decimals + 2}`), digits * planned, share);
}

function isCounted(of: Measure): of is Counted | "sent" {
  return forms[of] !== latencyForm && of !== "invariants";
}

function measureOf(name: string): Measure {
  const known = Object.keys(forms) as Measure[];
  if (isOneOf(known, name)) return name;
  const near = known.find((each) => name.length > 3 && editDistance(name.toLowerCase(), each) <= 2);
  const meant = known.find((each) => each === name.toLowerCase()) ?? near;
  const hint = meant === undefined ? "" : ` Did you mean ${meant}?`;
  throw new InputError("", `must begin with ${formatList(known, "or")}.${hint}`);
}

/** Undefined if the bound is a count. */
function shareOf(of: Counted, bound: string): Bound | undefined {
  const [, whole = "", fraction = ""] = /^(\d{1,3})(?:\.(\d{1,6}))? ?%$/.exec(bound) ?? [];
  const digits = Number(`${whole}${fraction}`);
  const decimals = fraction.length;
  if (whole !== "" && digits <= 100 * Number(`1e${decimals}`)) {
    return { unit: "%", digits, decimals };
  }
  if (!bound.includes("%")) return undefined;
  const expected = 'must be from 0% to 100%, with at most six decimals, such as "0.1%"';
  throw new InputError("", `${expected}, to compare ${of} with a share`);
}

function wholeNumber(of: Counted | "sent", bound: string): Bound {
  if (/^\d{1,9}$/.test(bound)) return { unit: "", digits: Number(bound), decimals: 0 };
  const share = of === "sent" ? "" : ', or a share such as "0.1%"';
  throw new InputError("", `must compare ${of} with a whole number up to 999999999${share}`);
}

function latencyBound(of: Percentile, bound: string): Bound {
  const text = bound.trimEnd();
  // Elsewhere bare digits mean milliseconds, but a threshold must have the unit.
  if (!/^\d+$/.test(text) && isDuration(text)) {
    return { unit: "ms", digits: durationMs(text), decimals: 0 };
  }
  const unit = /^[\d.]+$/.test(text) ? ": the unit is missing" : "";
  const expected = `must compare ${of} with a duration in whole units, such as "50ms" or "1s"`;
  throw new InputError("", `${expected}${unit}`);
}

/** Errors are all requests without a usable answer: failed, cut, lost, timed out or never sent. */
function countOf(tally: TallySummary, of: Counted | "sent"): number {
  if (of !== "errors") return tally[of];
  return tally.failed + tally.cut + tally.lost + tally.timedOut + tally.dropped;
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

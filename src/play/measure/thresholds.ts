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
  /** In `unit`: milliseconds, per cent of the planned requests, or a plain count. */
  readonly bound: number;
  readonly unit: "ms" | "%" | "";
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
  /** How many invariants are broken; undefined if none could be judged. */
  readonly brokenInvariants: number | undefined;
}

type Counted = "errors" | "refused" | "late" | "dropped" | "sent";
type Measure = keyof LatencySummary | Counted | "invariants";
type Comparison = "<" | "<=" | "=" | ">=" | ">";

interface Form {
  readonly comparisons: readonly Comparison[];
  /** A bound as it can be written. */
  readonly example: string;
  /** All bounds, in words. */
  readonly bounds: string;
}

const latency: Form = {
  comparisons: ["<", "<="],
  example: "50ms",
  bounds: 'a duration in whole units, such as "50ms" or "1s"',
};
const share: Form = {
  comparisons: ["<", "<=", "="],
  example: "0.1%",
  bounds: 'a whole number, or with a share of at most 100% and six decimals, such as "0.1%"',
};
const forms: Readonly<Record<Measure, Form>> = {
  ...{ p50: latency, p90: latency, p95: latency, p99: latency, p999: latency },
  ...{ max: latency, mean: latency },
  ...{ errors: share, refused: share, late: share, dropped: share },
  invariants: { comparisons: ["="], example: "0", bounds: "0: none may fail" },
  sent: { comparisons: [">=", ">", "="], example: "1000", bounds: "a whole number" },
};
const measures = Object.keys(forms) as Measure[];

/** @throws InputError without a field; the caller adds it. */
export function parseThreshold(text: string): Threshold {
  const parts = /^\s*([A-Za-z][\w-]{0,19})\s*([<>=!]{1,3})\s*([\w.]{1,24}(?:\s?%)?)\s*$/.exec(text);
  if (parts === null) {
    throw wrong('must be a measure, a comparison and a bound, such as "p99 < 50ms"');
  }
  const [, name = "", compared = "", written = ""] = parts;
  const of = measureOf(name);
  const { comparisons, example, bounds } = forms[of];
  const comparison = comparisons.find((one) => one === compared);
  if (comparison === undefined) {
    const allowed = comparisons.map((one) => `"${of} ${one} ${example}"`);
    throw wrong(`must compare ${of} as in ${formatList(allowed, "or")}`);
  }
  const bound = boundOf(of, written);
  if (bound === undefined) throw wrong(`must compare ${of} with ${bounds}`);
  if (comparison === "<" && bound.bound === 0) {
    throw wrong(
      `can never hold: nothing is below 0. Write "${of} ${comparisons.at(-1)} ${written}"`,
    );
  }
  return { text, of, comparison, ...bound };
}

function measureOf(name: string): Measure {
  const known = measures.find((one) => one === name);
  if (known !== undefined) return known;
  const isNear = (one: string): boolean =>
    one === name.toLowerCase() || (name.length > 3 && editDistance(name.toLowerCase(), one) <= 2);
  const near = measures.find(isNear);
  const hint = near === undefined ? "" : ` Did you mean ${near}?`;
  throw wrong(`must begin with ${formatList(measures, "or")}.${hint}`);
}

function boundOf(of: Measure, written: string): Pick<Threshold, "bound" | "unit"> | undefined {
  if (isLatency(of)) {
    // Elsewhere bare digits mean milliseconds, but a threshold must have the unit.
    const isWhole = /[a-z]$/.test(written) && isDuration(written);
    return isWhole ? { bound: durationMs(written), unit: "ms" } : undefined;
  }
  const [, digits, sign] = /^(\d{1,9}|\d{1,3}\.\d{1,6}(?= ?%))( ?%)?$/.exec(written) ?? [];
  const [bound, unit] = [Number(digits), sign === undefined ? "" : "%"] as const;
  if (unit === "%" && (forms[of] !== share || bound > 100)) return undefined;
  if (Number.isNaN(bound) || (of === "invariants" && bound > 0)) return undefined;
  return { bound, unit };
}

function wrong(why: string): InputError {
  return new InputError("", why);
}

export function judgeThreshold(threshold: Threshold, measured: Measured): ThresholdResult {
  const { text, of } = threshold;
  const { tally, brokenInvariants: broken } = measured;
  const planned = tally.sent + tally.dropped;
  const undecided = (found: string): ThresholdResult => ({
    ...{ threshold: text, result: "undecided", found },
  });
  const judged = (value: number, found: string): ThresholdResult => ({
    ...{ threshold: text, result: holds(threshold, value) ? "passed" : "failed", found },
  });
  if (of === "invariants") {
    if (broken === undefined) return undecided("no invariant could be judged");
    return judged(broken, `${broken} failed`);
  }
  if (planned === 0) return undecided("no requests");
  if (isLatency(of)) {
    if (measured.latency === undefined) return undecided("no requests");
    const found = measured.latency[of];
    const doubt = whyLatenciesAreDoubtful(tally);
    return doubt === undefined
      ? judged(found, readableMs(found))
      : undecided(`${readableMs(found)}, but ${doubt}`);
  }
  const found = of === "errors" ? errorsIn(tally) : tally[of];
  if (threshold.unit !== "%") return judged(found, readableCount(found));
  // The bound has at most six decimals, so in millionths both sides are whole numbers and the comparison is exact.
  const [count, bound] = [found * 100 * 1e6, Math.round(threshold.bound * 1e6) * planned];
  const shown = `${readableShare(found, planned)} (${readableCount(found)} of ${readableCount(planned)})`;
  const result = holds({ ...threshold, bound }, count) ? "passed" : "failed";
  return { threshold: text, result, found: shown };
}

/** More late requests than this, as a share of all, say more about the sender than about the service. */
const MAX_LATE = 0.01;

/** Why latencies may be those of the load generator itself; undefined if it kept up. */
export function whyLatenciesAreDoubtful({ sent, late, dropped }: TallySummary): string | undefined {
  const planned = sent + dropped;
  const behind = late + dropped;
  if (behind <= planned * MAX_LATE) return undefined;
  return `${readableCount(behind)} of ${readableCount(planned)} requests were sent late or never: latencies are the load generator's own`;
}

function isLatency(of: Measure): of is keyof LatencySummary {
  return forms[of] === latency;
}

/** All requests without a usable answer: failed, cut, lost, timed out or never sent. */
function errorsIn({ failed, cut, lost, timedOut, dropped }: TallySummary): number {
  return failed + cut + lost + timedOut + dropped;
}

function holds(
  { comparison, bound }: Pick<Threshold, "comparison" | "bound">,
  value: number,
): boolean {
  switch (comparison) {
    case "<":
      return value < bound;
    case "<=":
      return value <= bound;
    case "=":
      return value === bound;
    case ">=":
      return value >= bound;
    case ">":
      return value > bound;
  }
}

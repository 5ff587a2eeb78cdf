/** Bounds for a whole run, such as "p99 < 50ms" or "errors < 0.1%": parsed before the play, judged at its end. */

import { didYouMean, formatList } from "../../base/did-you-mean.ts";
import { durationMs } from "../../base/duration.ts";
import { InputError } from "../../base/input.ts";
import type { Result } from "../../invariants/ensure.ts";
import { readableCount, readableMs, readableShare } from "./quantities.ts";
import type { LatencySummary, TallySummary } from "./tally.ts";

interface Threshold {
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
  readonly invariants: readonly { readonly result: Result }[];
}

type Comparison = "<" | "<=" | "=" | ">=" | ">";
const holds: Readonly<Record<Comparison, (found: number, bound: number) => boolean>> = {
  "<": (found, bound) => found < bound,
  "<=": (found, bound) => found <= bound,
  "=": (found, bound) => found === bound,
  ">=": (found, bound) => found >= bound,
  ">": (found, bound) => found > bound,
};

/** Units of the bound, and what may follow the measure. */
const latency = { units: ["ms", "s", "m", "h", "d"], example: "< 50ms" };
const share = { units: ["%", ""], example: "< 0.1%" };
const measures = {
  ...{ p50: latency, p90: latency, p95: latency, p99: latency, p999: latency },
  ...{ max: latency, mean: latency },
  ...{ errors: share, refused: share, late: share, dropped: share },
  invariants: { units: [""], example: "= 0" },
  sent: { units: [""], example: ">= 1000" },
};
type Measure = keyof typeof measures;
const names = Object.keys(measures);

const FORM = /^\s*(\w+)\s*(<=?|=|>=?)\s*(\d{1,9}|\d{1,3}\.\d{1,6}(?= ?%)) ?(%|ms|[smhd]|)\s*$/;

/** @throws InputError without a field; the caller adds it. */
export function parseThreshold(text: string): Threshold {
  const [, of = /\w*/.exec(text)?.[0] ?? "", sign, digits = "", unit = ""] = FORM.exec(text) ?? [];
  if (!isMeasure(of)) {
    const all = formatList(names, "or");
    throw new InputError("", `must begin with ${all}.${didYouMean(of, names)}`);
  }
  const { units, example } = measures[of];
  if (sign === undefined || !units.includes(unit))
    throw new InputError("", `must compare ${of} by <, <=, =, >= or >, as in "${of} ${example}"`);
  // The pattern has no other signs.
  const comparison = sign as Comparison;
  if (unit === "%" || unit === "") return { text, of, comparison, bound: Number(digits), unit };
  return { text, of, comparison, bound: durationMs(`${digits}${unit}`), unit: "ms" };
}

export function judgeThreshold(threshold: Threshold, measured: Measured): ThresholdResult {
  const { text, comparison, bound } = threshold;
  const { value, found } = figureFor(threshold, measured);
  if (value === undefined) return { threshold: text, result: "undecided", found };
  const result = holds[comparison](value, bound) ? "passed" : "failed";
  return { threshold: text, result, found };
}

/** `value`: in the threshold's unit; undefined if nobody can tell. */
function figureFor(
  { of, unit }: Threshold,
  { tally, latency: latencies, invariants }: Measured,
): { readonly value?: number; readonly found: string } {
  if (of === "invariants") {
    if (invariants.every(({ result }) => result === "undecided"))
      return { found: "no invariant could be judged" };
    const value = invariants.filter(({ result }) => result === "failed").length;
    return { value, found: `${value} failed` };
  }
  const planned = tally.sent + tally.dropped;
  if (planned === 0) return { found: "no requests" };
  if (isLatency(of)) {
    const value = latencies?.[of] ?? 0;
    const doubt = whyLatenciesAreDoubtful(tally);
    if (doubt !== undefined) return { found: `${readableMs(value)}, but ${doubt}` };
    return { value, found: readableMs(value) };
  }
  const { failed, cut, lost, timedOut, dropped } = tally;
  const count = of === "errors" ? failed + cut + lost + timedOut + dropped : tally[of];
  if (unit !== "%") return { value: count, found: readableCount(count) };
  const counts = `${readableCount(count)} of ${readableCount(planned)}`;
  return { value: (count * 100) / planned, found: `${readableShare(count, planned)} (${counts})` };
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

function isMeasure(name: string): name is Measure {
  return Object.hasOwn(measures, name);
}

function isLatency(of: Measure): of is keyof LatencySummary {
  return measures[of] === latency;
}

/** Turns traffic steps into arrival-rate executors of k6, one for each. k6's source code is the reference. */

import { assert } from "../../base/assert.ts";
import { DAY_MS, durationMs, HOUR_MS, MINUTE_MS } from "../../base/duration.ts";
import type { RateSegment } from "../../play/traffic/rate-curve.ts";
import { timeoutMsOf, weightsOf } from "../../play/traffic/source.ts";
import type { Traffic } from "../../play/traffic/traffic.ts";
import { goDuration } from "./go-duration.ts";
import { Repeated } from "./js-literal.ts";
import { isNearlyWhole, lengthOf, mostArrivalsIn, type Rates, ratesOf } from "./rates.ts";

interface Stage {
  readonly duration: string;
  readonly target: number;
}

interface Users {
  readonly preAllocatedVUs: number;
  readonly maxVUs: number;
  readonly gracefulStop: string;
}

export type Executor = Users & { readonly startTime: string; readonly timeUnit: string } & (
    | {
        readonly executor: "constant-arrival-rate";
        readonly rate: number;
        readonly duration: string;
      }
    | {
        readonly executor: "ramping-arrival-rate";
        readonly startRate: number;
        readonly stages: readonly (Stage | Repeated<Stage>)[];
      }
  );

/** How long k6 takes for requests that come at once. */
const BURST_MS = 100;
/** The shortest constant rate that k6 takes. */
const SHORTEST_CONSTANT_MS = 1000;
/** In what time most answers come. */
const USUAL_ANSWER_MS = 200;
/** One user takes some megabytes. */
const MOST_USERS = 10_000;

/** The rates of a traffic step as k6 can keep them. `startMs`: the world's time at which it begins. */
export function k6RatesOf(traffic: Traffic, startMs: number): Rates {
  return ratesOf(traffic, startMs, BURST_MS);
}

/** `fromMs`: when it begins, counted from the beginning of the test. */
export function executorOf(traffic: Traffic, rates: Rates, fromMs: number): Executor {
  const { round, rounds, rest } = rates;
  const unitMs = unitFor(rates);
  const [startTime, timeUnit] = [goDuration(fromMs), goDuration(unitMs)];
  const users = usersFor(traffic, rates);
  const [first, second = rest[0]] = round;
  assert(first !== undefined, "Traffic without a rate.");
  const rate = perUnit(first.from, unitMs);
  const isConstant = rounds === 1 && second === undefined && first.from === first.to;
  if (isConstant && first.lengthMs >= SHORTEST_CONSTANT_MS) {
    const duration = goDuration(first.lengthMs);
    return { executor: "constant-arrival-rate", startTime, rate, timeUnit, duration, ...users };
  }
  const last = perUnit(round.at(-1)?.to ?? 0, unitMs);
  const stages = [
    ...(rounds === 1
      ? stagesOf(round, rate, unitMs)
      : [new Repeated(rounds, stagesOf(round, last, unitMs))]),
    ...stagesOf([...rest, ...pauseAfter(rates)], last, unitMs),
  ];
  return {
    ...{ executor: "ramping-arrival-rate", startTime, startRate: rate, timeUnit, stages },
    ...users,
  };
}

/** The last iteration of a stage comes at its end, when k6 is about to stop. It matters if there are only a few. */
function pauseAfter(rates: Rates): readonly RateSegment[] {
  const lengthMs = SHORTEST_CONSTANT_MS - lengthOf(rates);
  return lengthMs > 0 ? [{ lengthMs, from: 0, to: 0 }] : [];
}

/** The share of arrivals that a click follows. */
export function clickedShareOf({ mix, clicks }: Traffic): number {
  const weights = weightsOf(mix);
  const sum = weights.reduce((total, [, weight]) => total + weight, 0);
  const impressions = weights.find(([operation]) => operation === "impression")?.[1] ?? 0;
  return (impressions / sum) * (clicks?.rate ?? 0);
}

/** k6 goes from one stage's target to the next in a line. `before`: the target before the first. */
function stagesOf(segments: readonly RateSegment[], before: number, unitMs: number): Stage[] {
  let target = before;
  return segments.flatMap(({ lengthMs, from, to }) => {
    const [first, last] = [perUnit(from, unitMs), perUnit(to, unitMs)];
    const jump = first === target ? [] : [{ duration: "0s", target: first }];
    target = last;
    return [...jump, { duration: goDuration(lengthMs), target: last }];
  });
}

/** k6 takes whole numbers. No rate above 0 becomes 0. */
function perUnit(rate: number, unitMs: number): number {
  return rate === 0 ? 0 : Math.max(1, Math.round(rate * unitMs));
}

/** The unit of time in which all rates are whole numbers, or in which rounding them changes the least. */
function unitFor({ round, rounds, rest }: Rates): number {
  const segments = [...round, ...rest];
  const rates = segments.flatMap(({ from, to }) => [from, to]).filter((rate) => rate > 0);
  const spans = segments.filter(({ from, to }) => from === to && from > 0);
  const units = [1000, MINUTE_MS, HOUR_MS, ...spans.map(({ lengthMs }) => lengthMs), DAY_MS];
  const exact = units.find((unitMs) => rates.every((rate) => isNearlyWhole(rate * unitMs)));
  if (exact !== undefined) return exact;
  const error = (unitMs: number): number => {
    const of = (all: readonly RateSegment[]): number =>
      all.reduce((sum, segment) => sum + roundingError(segment, unitMs), 0);
    return rounds * of(round) + of(rest);
  };
  const errors = units.map((unitMs) => ({ unitMs, arrivals: error(unitMs) }));
  const least = Math.min(...errors.map(({ arrivals }) => arrivals));
  const good = errors.find(({ arrivals }) => arrivals <= Math.max(least, 0.5));
  return good?.unitMs ?? DAY_MS;
}

/** How many arrivals more or fewer there are if rates are whole numbers per unit. */
function roundingError({ lengthMs, from, to }: RateSegment, unitMs: number): number {
  const rounded = (perUnit(from, unitMs) + perUnit(to, unitMs)) / 2;
  return (Math.abs(rounded - ((from + to) / 2) * unitMs) / unitMs) * lengthMs;
}

/** A virtual user is busy until its answer has come, and until it has clicked. */
function usersFor(traffic: Traffic, rates: Rates): Users {
  const busy = (answerMs: number): number => {
    const clicking = clickedShareOf(traffic) * mostArrivalsIn(clickMs(traffic) + answerMs, rates);
    const users = Math.ceil(mostArrivalsIn(answerMs, rates) + clicking);
    return Math.min(Math.max(users, 1), MOST_USERS);
  };
  const [usual, most] = [busy(USUAL_ANSWER_MS), busy(timeoutMsOf(traffic))];
  return {
    preAllocatedVUs: usual,
    maxVUs: Math.max(usual, most),
    gracefulStop: goDuration(Math.ceil(longestMs(traffic) / 1000) * 1000),
  };
}

/** How long a virtual user takes at most. */
function longestMs(traffic: Traffic): number {
  const timeoutMs = timeoutMsOf(traffic);
  return clickedShareOf(traffic) > 0 ? timeoutMs + clickMs(traffic) + timeoutMs : timeoutMs;
}

function clickMs({ clicks }: Traffic): number {
  return durationMs(clicks?.after ?? 0);
}

/** The schema of traffic. */

import * as v from "valibot";
import { durationMs } from "../../../base/duration.ts";
import { isPlainObject } from "../../../base/input.ts";
import { duration } from "../../../faults/delay.ts";
import { shareSchema } from "../../../faults/verdict.ts";
import { parseRate, RATE_EXPECTED } from "../../traffic/rate.ts";
import type { Arrivals, Mix, Rate, Traffic } from "../../traffic/traffic.ts";
import { listOf, numberFrom, oneOf, refused, shape } from "./parts.ts";
import { cast, timeout } from "./values.ts";

export const MOST_TRACE = 1_000_000;
/** Draws have 32 bits: beside a larger weight one of 1 would never come. */
export const MOST_WEIGHT = 1_000_000_000;
export const MOST_AT_ONCE = 100_000_000;

const someTime = v.pipe(
  duration,
  v.check((given) => durationMs(given) > 0, "must be longer than 0"),
);
const rate: v.GenericSchema<unknown, Rate> = v.custom<Rate>(
  (input) => parseRate(input) !== undefined,
  RATE_EXPECTED,
);
const rateAboveZero: v.GenericSchema<unknown, Rate> = v.pipe(
  rate,
  v.check((given) => (parseRate(given) ?? 0) > 0, "must be above 0"),
);
const spacing = v.optional(oneOf(["even", "poisson"]));
const weight = numberFrom(0, MOST_WEIGHT);

const arrivalKinds = ["constant", "ramp", "poisson", "daily", "burst", "trace"] as const;
const arrivalSchemas: {
  readonly [Kind in Arrivals["kind"]]: v.GenericSchema<unknown, Arrivals>;
} = {
  constant: shape({ kind: v.literal("constant"), rate: rateAboveZero }),
  ramp: v.pipe(
    shape({ kind: v.literal("ramp"), from: rate, to: rate, spacing }),
    v.check(
      ({ from, to }) => (parseRate(from) ?? 0) + (parseRate(to) ?? 0) > 0,
      "must have from or to above 0",
    ),
  ),
  poisson: shape({ kind: v.literal("poisson"), rate: rateAboveZero }),
  daily: shape({
    kind: v.literal("daily"),
    mean: rateAboveZero,
    hours: v.optional(
      v.pipe(
        v.array(weight, "must be a list of 24 weights"),
        v.length(24, "must be 24 weights, one for each hour of the day in UTC"),
        v.check((hours) => hours.some((one) => one > 0), "must have a weight above 0"),
      ),
    ),
    spacing,
  }),
  burst: v.pipe(
    shape({
      kind: v.literal("burst"),
      count: numberFrom(1, MOST_AT_ONCE, "whole"),
      every: v.optional(someTime),
      within: v.optional(duration),
    }),
    v.check(
      ({ every, within }) =>
        every === undefined || within === undefined || durationMs(within) <= durationMs(every),
      "must have within no longer than every",
    ),
  ),
  trace: shape({
    kind: v.literal("trace"),
    atMs: v.pipe(
      v.custom<number[]>(Array.isArray, "must be a list of milliseconds"),
      v.check((atMs) => atMs.length > 0, "must not be empty"),
      v.check((atMs) => atMs.length <= MOST_TRACE, `must have at most ${MOST_TRACE} entries`),
      v.check(isTrace, "must be milliseconds from 0 on, none earlier than the one before it"),
    ),
  }),
};

const noArrivals = (input: unknown): v.GenericSchema<unknown, never> =>
  isPlainObject(input)
    ? (shape({ kind: oneOf(arrivalKinds), ...restOf(input) }) as v.GenericSchema<unknown, never>)
    : refused('must be an object such as { "kind": "constant", "rate": "100/s" }');

/** So that of arrivals without a right kind it is the kind that is refused. */
function restOf(input: Readonly<Record<string, unknown>>): v.ObjectEntries {
  const others = Object.keys(input).filter((name) => name !== "kind");
  return Object.fromEntries(others.map((name) => [name, v.unknown()]));
}

const arrivals: v.GenericSchema<unknown, Arrivals> = v.lazy(
  (input): v.GenericSchema<unknown, Arrivals> => {
    const kind = isPlainObject(input) ? arrivalKinds.find((one) => one === input.kind) : undefined;
    return kind === undefined ? noArrivals(input) : arrivalSchemas[kind];
  },
);

const mix: v.GenericSchema<unknown, Mix> = v.pipe(
  shape({
    impression: v.optional(weight),
    stats: v.optional(weight),
    surfaces: v.optional(weight),
    payouts: v.optional(weight),
  }),
  v.check(
    (weights) => Object.values(weights).some((one) => (one ?? 0) > 0),
    "must have a weight above 0",
  ),
);

export const traffic: v.GenericSchema<unknown, Traffic> = v.pipe(
  shape({
    for: someTime,
    arrivals,
    mix: v.optional(mix),
    publishers: v.optional(listOf(cast, "publishers: ordinals, or names of sign-ups")),
    surfaces: v.optional(numberFrom(1, Number.MAX_SAFE_INTEGER, "whole")),
    repeatedSessions: v.optional(shareSchema),
    sessions: v.optional(v.boolean("must be true or false")),
    clicks: v.optional(shape({ rate: shareSchema, after: v.optional(duration) })),
    timeout: v.optional(timeout),
  }),
  v.check(
    ({ arrivals: of, for: lasting }) =>
      of.kind !== "trace" || (of.atMs.at(-1) ?? 0) < durationMs(lasting),
    "must last, by for, longer than until the last entry of the trace",
  ),
);

function isTrace(atMs: number[]): boolean {
  let before = 0;
  return atMs.every((ms) => {
    const isLater = typeof ms === "number" && ms >= before && ms <= Number.MAX_SAFE_INTEGER;
    if (isLater) before = ms;
    return isLater;
  });
}

/** The schema of traffic. */

import * as v from "valibot";
import { durationMs } from "../../base/duration.ts";
import { isPlainObject } from "../../base/input.ts";
import {
  anyOf,
  described,
  namedSchema,
  optional,
  type Schema,
  withJsonSchema,
} from "../../base/schema-builders.ts";
import { numberBetween, wholeBetween } from "../../base/schemas.ts";
import { duration } from "../../faults/delay.ts";
import { shareSchema } from "../../faults/verdict.ts";
import { parseRate, RATE, RATE_EXPECTED } from "../traffic/rate.ts";
import type { Arrivals, Mix, Rate, Traffic } from "../traffic/traffic.ts";
import { type EntriesOf, exactObject, invalid, listOf, oneOf } from "./schema-parts.ts";
import { publisherRef, timeout } from "./values.ts";

const MAX_TRACE = 1_000_000;
/** Draws have 32 bits: next to a larger weight, a weight of 1 would never be drawn. */
const MAX_WEIGHT = 1_000_000_000;
const MAX_AT_ONCE = 100_000_000;

const someTime = v.pipe(
  duration,
  v.check((given) => durationMs(given) > 0, "must be longer than 0"),
);
const rate: Schema<Rate> = namedSchema("rate", () =>
  v.pipe(
    v.string(RATE_EXPECTED),
    v.regex(RATE, RATE_EXPECTED),
    v.description('Requests per unit of time: "8000/m", "133.5/s", "500/h", "11520000/d".'),
  ),
);
const rateAboveZero = v.pipe(
  rate,
  v.check((given) => (parseRate(given) ?? 0) > 0, "must be above 0"),
);
const spacing = optional(oneOf(["even", "poisson"]), "Evenly spaced, or a Poisson process.");
const weight = numberBetween(0, MAX_WEIGHT);
const hours = v.pipe(
  v.array(weight, "must be a list of 24 weights"),
  v.length(24, "must be 24 weights, one for each hour of the day in UTC"),
  v.check((each) => each.some((one) => one > 0), "must have a weight above 0"),
  v.description("Weights of the hours. Default: a publisher's usual day."),
);
/** Checked in one pass instead of one by one, because there can be a million. */
const instants: Schema<number[]> = described(
  withJsonSchema(
    v.pipe(v.array(v.pipe(v.number(), v.minValue(0))), v.minLength(1), v.maxLength(MAX_TRACE)),
    v.pipe(
      v.custom<number[]>(Array.isArray, "must be a list of milliseconds"),
      v.check((atMs) => atMs.length > 0, "must not be empty"),
      v.check((atMs) => atMs.length <= MAX_TRACE, `must have at most ${MAX_TRACE} entries`),
      v.check(isTrace, "must be milliseconds, 0 or more, in ascending order"),
    ),
  ),
  "Arrival times in milliseconds from the start, in ascending order.",
);

type Kind = Arrivals["kind"];
type ArrivalsOf<One extends Kind> = Extract<Arrivals, { readonly kind: One }>;

function arrivalsOf<One extends Kind>(
  kind: One,
  about: string,
  entries: EntriesOf<Omit<ArrivalsOf<One>, "kind">>,
): Schema<ArrivalsOf<One>> {
  const all = { kind: v.literal(kind), ...entries };
  return described(exactObject(all as unknown as EntriesOf<ArrivalsOf<One>>), about);
}

const schemas: { readonly [One in Kind]: Schema<ArrivalsOf<One>> } = {
  constant: arrivalsOf("constant", "Evenly spaced.", { rate: rateAboveZero }),
  ramp: v.pipe(
    arrivalsOf("ramp", "The rate changes linearly.", { from: rate, to: rate, spacing }),
    v.check(
      ({ from, to }) => (parseRate(from) ?? 0) + (parseRate(to) ?? 0) > 0,
      'must have "from" or "to" above 0',
    ),
  ),
  poisson: arrivalsOf("poisson", "A Poisson process.", { rate: rateAboveZero }),
  daily: arrivalsOf("daily", "A rate that follows the hours of the day in UTC.", {
    mean: described(rateAboveZero, "The mean rate over a whole day."),
    hours: optional(hours),
    spacing,
  }),
  burst: v.pipe(
    arrivalsOf("burst", "`count` requests at once, at the start of each `every`.", {
      count: described(wholeBetween(1, MAX_AT_ONCE), "Requests per burst."),
      every: optional(someTime, "Interval between bursts. Default: one burst only."),
      within: optional(duration, "Spreads each burst over this long. Default: 0."),
    }),
    v.check(
      ({ every, within }) =>
        every === undefined || within === undefined || durationMs(within) <= durationMs(every),
      'must have "within" no longer than "every"',
    ),
  ),
  trace: arrivalsOf("trace", "A recorded trace.", { atMs: instants }),
};
const kinds = Object.keys(schemas) as Kind[];

const arrivals = anyOf<Arrivals>(Object.values(schemas), (input) => {
  if (!isPlainObject(input)) {
    return invalid('must be an object such as { "kind": "constant", "rate": "100/s" }');
  }
  const kind = kinds.find((one) => one === input.kind);
  // If the kind is wrong, report the kind only.
  return kind === undefined
    ? (v.looseObject({ kind: oneOf(kinds) }) as Schema<unknown> as Schema<never>)
    : schemas[kind];
});

const mix: Schema<Mix> = v.pipe(
  exactObject<Mix>({
    impression: optional(weight),
    stats: optional(weight),
    surfaces: optional(weight),
    payouts: optional(weight),
  }),
  v.check(
    (weights) => Object.values(weights).some((one) => (one ?? 0) > 0),
    "must have a weight above 0",
  ),
  v.description("Operations by weight. Default: impressions only."),
);
const clicks = exactObject<NonNullable<Traffic["clicks"]>>({
  rate: described(shareSchema, "Share of impressions that are clicked."),
  after: optional(duration),
});
const publishers = listOf(publisherRef, "publishers: ordinals, or names of signUp steps");
const surfaces = wholeBetween(1, Number.MAX_SAFE_INTEGER);

export const traffic: Schema<Traffic> = namedSchema("traffic", () =>
  v.pipe(
    exactObject<Traffic>({
      for: described(someTime, "How long it lasts."),
      arrivals: described(arrivals, "When requests are sent. Answers don't influence it."),
      mix: optional(mix),
      publishers: optional(publishers, "One is drawn for each request. Default: the first."),
      surfaces: optional(
        surfaces,
        "How many of each publisher's surfaces to use, from its first. Default: all.",
      ),
      repeatedSessions: optional(
        shareSchema,
        "Share of impressions that repeat one of the last 100. Default: 0.",
      ),
      sessions: optional(
        v.boolean("must be true or false"),
        "Whether impressions have session ids. Default: true.",
      ),
      clicks: optional(clicks, "Which share of impressions is clicked, and how long after."),
      timeout: optional(timeout),
    }),
    v.check(
      ({ arrivals: of, for: lasting }) =>
        of.kind !== "trace" || (of.atMs.at(-1) ?? 0) < durationMs(lasting),
      'must have "for" longer than the last entry of the trace',
    ),
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

/**
 * Random plans. Fault rules have every kind of verdict, fire a limited number of times, and their delays are bounded. Most waits
 * for a clock end a millisecond before, at or after an instant at which something changes.
 */

import fc from "fast-check";
import {
  day,
  dayOfInstant,
  formatDay,
  LAST_INSTANT_MS,
  parseInstant,
} from "../../base/calendar.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../base/duration.ts";
import { InputError } from "../../base/input.ts";
import { given } from "../../base/plain-data.ts";
import { type FaultMatch, type FaultRule, parseRule } from "../../faults/rule.ts";
import type { VerdictKind } from "../../faults/verdict.ts";
import { unconfirmedWays, wrongWays } from "../../faults/wrong-body.ts";
import type { SimulatorCore } from "../../simulator/core.ts";
import { DEFAULT_START } from "../../simulator/simulator-options.ts";
import { type OperationId, operationIds } from "../../spec/operations.ts";
import { checkKnown, checkNames } from "../options.ts";

/** Without bias, which would make lists short and their items alike. */
export function sequenceOf<Item>(
  item: fc.Arbitrary<Item>,
  { minLength, maxLength }: { readonly minLength: number; readonly maxLength: number },
): fc.Arbitrary<readonly Item[]> {
  return fc.noBias(fc.array(item, { minLength, maxLength, size: "max" }));
}

export interface ArbitraryFaultRuleOptions {
  /** @default every kind */
  readonly kinds?: readonly VerdictKind[] | undefined;
  /** The operations that rules may match. @default all of them, and rules that match any request */
  readonly operations?: readonly OperationId[] | undefined;
  /** The maximum number of times that a rule fires. @default 3 */
  readonly mostTimes?: number | undefined;
  /** The longest delay, in milliseconds, up to an hour. @default 10000 */
  readonly longestDelayMs?: number | undefined;
}

type Made = Readonly<Record<string, unknown>>;

const loss = maybe(fc.constantFrom("close", "reset", "silence"));
const nothing = fc.constant({});

/** The members of each kind, besides the delay that all may have. A kind that is missing here is a type error. */
const verdicts: Readonly<Record<VerdictKind, fc.Arbitrary<Made>>> = {
  drop: fc.record({ as: loss }),
  "lose-response": fc.record({ as: loss }),
  respond: fc.record({
    status: fc.constantFrom(503, 500, 502, 504, 429, 408, 409, 404, 403, 401, 400, 422),
    headers: maybe(fc.constantFrom("1", "0", "120").map((pause) => ({ "retry-after": pause }))),
    body: maybe(fc.constantFrom<unknown>("busy", "<html></html>", { error: "busy" }, [])),
    applied: maybe(fc.boolean()),
  }),
  delay: nothing,
  timeout: nothing,
  reset: nothing,
  empty: nothing,
  truncate: fc.record({ share: fc.constantFrom(0, 0.5, 0.9, 1) }),
  garbage: fc.record({ as: maybe(fc.constantFrom("body", "response")) }),
  // No client can notice that an event isn't recorded if the answer confirms it.
  "wrong-body": fc.oneof(
    fc.record({ wrong: fc.constantFrom(...unconfirmedWays), applied: maybe(fc.boolean()) }),
    fc.record({ wrong: fc.constantFrom(...wrongWays) }),
  ),
  drip: fc.record({ bytesPerSecond: fc.constantFrom(1000, 10, 100_000) }),
  duplicate: fc.record({ answer: maybe(fc.constantFrom("first", "second")) }),
  reorder: fc.record({ by: maybe(fc.integer({ min: 1, max: 3 })) }),
};

// The names of a record are its keys. The plainest first.
const verdictKinds = Object.keys(verdicts) as VerdictKind[];

/**
 * Up to three rules for a simulator's option `faults` or `sim.faults.add`. A failure shrinks to few rules, which fire at
 * their first request, without a delay.
 *
 * @throws InputError that names the invalid option.
 */
export function arbitraryFaultPlan(
  options: ArbitraryFaultRuleOptions = {},
): fc.Arbitrary<readonly FaultRule[]> {
  return sequenceOf(arbitraryFaultRule(options), { minLength: 0, maxLength: 3 });
}

/** One rule. @throws InputError that names the invalid option. */
export function arbitraryFaultRule(
  options: ArbitraryFaultRuleOptions = {},
): fc.Arbitrary<FaultRule> {
  checkNames(options, ["kinds", "operations", "mostTimes", "longestDelayMs"]);
  const { kinds = verdictKinds, operations, mostTimes = 3, longestDelayMs = 10_000 } = options;
  checkKnown("kinds", kinds, verdictKinds);
  if (operations !== undefined) checkKnown("operations", operations, operationIds);
  const delay = fc.integer({ min: 1, max: longestDelayMs });
  // Shrinks to the first kind if any kind fails.
  const verdict = fc.oneof(
    { withCrossShrink: true },
    ...kinds.map((kind) =>
      fc
        .tuple(kind === "delay" ? delay : maybe(delay), verdicts[kind])
        .map(([late, made]) => ({ kind, ...given({ delay: late, ...made }) })),
    ),
  );
  const any = maybe(fc.constantFrom(...operationIds));
  const operation = operations === undefined ? any : fc.constantFrom(...operations);
  const times = fc.integer({ min: 1, max: mostTimes });
  const match = fc
    .tuple(operation, which, times)
    .map(([about, chosen, most]) => ({ operation: about, ...chosen, times: most }));
  // Parsing drops undefined members. If it throws, the bug is here.
  return fc.record({ match, verdict }).map((rule) => parseRule(rule));
}

/** Which of the requests that a rule looks at. */
const which: fc.Arbitrary<FaultMatch> = fc.oneof(
  { withCrossShrink: true },
  fc.constant({}),
  fc.integer({ min: 1, max: 4 }).map((nth) => ({ nth })),
  fc.integer({ min: 2, max: 3 }).map((every) => ({ every })),
  fc.constantFrom(0.25, 0.5, 0.75).map((share) => ({ share })),
);

/** Undefined half of the time. Shrinks to undefined. */
function maybe<Value>(arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> {
  return fc.option(arbitrary, { nil: undefined, freq: 2 });
}

export interface ArbitraryClockPlanOptions {
  /** The waits begin at this simulator's current time. @default none */
  readonly sim?: SimulatorCore | undefined;
  /** The instant at which the waits begin, in ISO 8601, if there is no `sim`. @default "2026-01-15T00:00:00Z" */
  readonly start?: string | undefined;
  /** @default 1 */
  readonly minLength?: number | undefined;
  /** @default 8 */
  readonly maxLength?: number | undefined;
}

export interface ClockStep {
  /** For `clock.advance`, in milliseconds. */
  readonly byMs: number;
  /** The time afterwards, if nothing else moves the clock: milliseconds since 1970. */
  readonly atMs: number;
  /** The edge near which it ends: a millisecond before, at or after it. A window counts from the start of the wait. */
  readonly edge: Edge | undefined;
}

/** The first one after an instant. */
type Next = (afterMs: number) => number;

/** The nearest first. */
const table = {
  /** A minute of the clock begins, and with it a new quota (spec §8). */
  minute: (afterMs) => (Math.floor(afterMs / MINUTE_MS) + 1) * MINUTE_MS,
  /** The age of an event at which de-duplication forgets it. */
  "window-30m": (afterMs) => afterMs + 30 * MINUTE_MS,
  "midnight-ist": midnightOf(5.5 * HOUR_MS),
  "midnight-utc": midnightOf(0),
  /** The same, and the age at which an impression can't be clicked any more. */
  "window-24h": (afterMs) => afterMs + DAY_MS,
  "month-end": midnightOf(0, "-01"),
  "month-end-ist": midnightOf(5.5 * HOUR_MS, "-01"),
  "leap-day": midnightOf(0, "-02-29"),
} satisfies Readonly<Record<string, Next>>;

/** An instant at which something may change. Months begin in UTC or, with `-ist`, in India. */
type Edge = keyof typeof table;

// The names of a record are its keys.
export const edges: readonly Edge[] = Object.keys(table) as Edge[];

/** A midnight with which such a day begins: its date ends so. */
function midnightOf(offsetMs: number, ending = ""): Next {
  return (afterMs) => {
    let next = dayOfInstant(afterMs, offsetMs) + 1;
    while (next * DAY_MS < LAST_INSTANT_MS && !formatDay(day(next)).endsWith(ending)) next += 1;
    return next * DAY_MS - offsetMs;
  };
}

/** A wait until `nudgeMs` from an edge, or for `ms` if there is no edge or it is too far away. */
const waits = fc.record({
  // An index shrinks step by step towards the first edge; constantFrom would jump to the first.
  edge: fc.nat(edges.length).map((place) => edges[place - 1]),
  nudgeMs: fc.constantFrom(0, -1, 1),
  ms: fc.oneof(...[2 * MINUTE_MS, HOUR_MS, 2 * DAY_MS].map((max) => fc.integer({ min: 1, max }))),
});

/**
 * Time never goes back, nor past the year 9999. A failure shrinks to few waits, to near edges, and to a millisecond.
 *
 * @throws InputError that names the invalid option.
 */
export function arbitraryClockPlan(
  options: ArbitraryClockPlanOptions = {},
): fc.Arbitrary<readonly ClockStep[]> {
  checkNames(options, ["sim", "start", "minLength", "maxLength"]);
  const { sim, start = DEFAULT_START, minLength = 1, maxLength = 8 } = options;
  const startMs = parseInstant(start);
  if (startMs === undefined)
    throw new InputError("start", `must be an instant, such as ${DEFAULT_START}`);
  return sequenceOf(waits, { minLength, maxLength }).map((list) => {
    let nowMs = sim?.clock.now() ?? startMs;
    return list.map(({ edge, nudgeMs, ms }) => {
      const leftMs = LAST_INSTANT_MS - nowMs;
      const untilMs = edge && table[edge](nowMs) + nudgeMs - nowMs;
      const isNear = untilMs !== undefined && untilMs <= leftMs;
      const byMs = isNear ? untilMs : Math.min(ms, leftMs);
      nowMs += byMs;
      return { byMs, atMs: nowMs, edge: isNear ? edge : undefined };
    });
  });
}

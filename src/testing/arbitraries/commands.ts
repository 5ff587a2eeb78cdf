/** Random commands to a client and its world. Sequences shrink to few and plain commands. */

import fc from "fast-check";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../base/duration.ts";
import { InputError } from "../../base/input.ts";
import { given } from "../../base/plain-data.ts";
import { checkKnown, checkNames } from "../options.ts";
import { type ClientCommand, type Command, isOfClient } from "../session/command.ts";
import { arbitraryFaultRule, sequenceOf } from "./plans.ts";

type Word = fc.Arbitrary<ClientCommand>;

// Indexes wrap around. A small range makes repeats likely.
const place = fc.nat({ max: 3 });
const anyView = fc.nat({ max: 8 });
const maybePlace = fc.option(place, { nil: undefined, freq: 2 });

/** Days that calendars get wrong, and those around the default start of a world, in order. */
const days = [
  ...["2024-02-28", "2024-02-29", "2024-03-01", "2025-12-31", "2026-01-01"],
  ...["2026-01-14", "2026-01-15", "2026-01-16"],
];
/** Mostly the last ones, so that one query is like another. */
const day = fc.oneof(
  fc.constant(undefined),
  fc.nat({ max: 2 }).map((back) => days.length - 1 - back),
  fc.nat({ max: days.length - 1 }),
);

const view: Word = place.map((surface) => ({ kind: "impression", surface }));
const click: Word = anyView.map((impression) => ({ kind: "click", impression }));
const stats: Word = maybePlace.map((surface) => ({ kind: "stats", ...given({ surface }) }));
const surfaces: Word = fc.constant({ kind: "surfaces" });
const payouts: Word = fc
  .constantFrom(undefined, undefined, 1, 7, 20, 99, 100, 101)
  .map((limit) => ({ kind: "payouts", ...given({ limit }) }));
const flush: Word = fc.constant({ kind: "flush" });
const close: Word = fc.constant({ kind: "close" });
const again: Word = anyView.map((impression) => ({ kind: "again", impression }));
/** A view whose ad and session have names that clients may change. */
const odd: Word = fc
  .tuple(place, fc.constantFrom("unusual" as const, "numeric" as const))
  .map(([surface, spelling]) => ({ kind: "impression", surface, spelling }));
/** Another view of an ad that was shown before, on the same surface or on another. */
const same: Word = fc
  .tuple(place, place)
  .map(([surface, ad]) => ({ kind: "impression", surface, ad }));
/** A period that is never inverted. */
const period: Word = fc.tuple(day, day, maybePlace).map(([one, other, surface]) => {
  const isInverted = one !== undefined && other !== undefined && one > other;
  const [from, to] = (isInverted ? [other, one] : [one, other]).map((at) => days[at ?? -1]);
  return { kind: "stats", ...given({ from, to, surface }) };
});
/** The figures of the first day after the default start. */
const tomorrow: Word = fc.constant({ kind: "stats", from: "2026-01-16", to: "2026-01-16" });

/** What a client may be asked for, by the words that scenes use. */
export const clientWords: Readonly<Record<string, Word>> = {
  ...{ view, odd, same, again, click, stats, period, tomorrow, surfaces, payouts, flush, close },
  query: fc.oneof(stats, surfaces, payouts),
  event: fc.oneof(
    { weight: 5, arbitrary: view },
    { weight: 3, arbitrary: click },
    { weight: 1, arbitrary: flush },
  ),
};

type Single = Exclude<Command, { kind: "together" }>;

const waits = [1, 1000, 59_000, 61_000, 31 * MINUTE_MS, HOUR_MS, 5.5 * HOUR_MS, DAY_MS];
const limits = fc.constantFrom("recording" as const, "reporting" as const);

/** How often each kind comes, similar to a page. A kind that is missing here is a type error. */
const singles: Readonly<
  Record<Single["kind"], readonly [weight: number, of: fc.Arbitrary<Single>]>
> = {
  impression: [30, fc.oneof({ weight: 3, arbitrary: view }, odd, same)],
  click: [16, click],
  again: [5, again],
  advance: [14, fc.constantFrom(...waits).map((byMs) => ({ kind: "advance", byMs }))],
  stats: [5, fc.oneof(stats, period)],
  surfaces: [2, surfaces],
  payouts: [3, payouts],
  flush: [3, flush],
  close: [1, close],
  spend: [1, fc.tuple(place, limits).map(([left, of]) => ({ kind: "spend", left, of }))],
  fault: [6, arbitraryFaultRule().map((rule) => ({ kind: "fault", rule }))],
  heal: [3, fc.constant({ kind: "heal" })],
};
// The names of a record are its keys.
const allKinds = [...Object.keys(singles), "together"] as Command["kind"][];

export interface ArbitraryCommandsOptions {
  /** The kinds of commands. @default all but `close`: nothing can happen to a closed client */
  readonly kinds?: readonly Command["kind"][] | undefined;
  /** @default 1 */
  readonly minLength?: number | undefined;
  /** @default 12 */
  readonly maxLength?: number | undefined;
}

/**
 * Sequences for `runSession`, and for rules of one's own. Indexes of surfaces and ad views wrap around, so every part of a sequence
 * is valid too.
 *
 * @throws InputError that names the invalid option.
 */
export function arbitraryCommands(
  options: ArbitraryCommandsOptions = {},
): fc.Arbitrary<readonly Command[]> {
  checkNames(options, ["kinds", "minLength", "maxLength"]);
  const { minLength = 1, maxLength = 12 } = options;
  const kinds = options.kinds ?? allKinds.filter((kind) => kind !== "close");
  checkKnown("kinds", kinds, allKinds);
  const chosen: { kind: string; weight: number; arbitrary: fc.Arbitrary<Command> }[] =
    Object.entries(singles)
      .filter(([kind]) => kinds.includes(kind as Single["kind"]))
      .map(([kind, [weight, arbitrary]]) => ({ kind, weight, arbitrary }));
  if (kinds.includes("together")) {
    const calls = chosen.filter(isOfClient);
    if (calls.length === 0)
      throw new InputError("kinds", "must have another command to the client besides together");
    const arbitrary = sequenceOf(fc.oneof(...calls) as Word, { minLength: 1, maxLength: 4 }).map(
      (commands): Command => ({ kind: "together", commands }),
    );
    chosen.push({ kind: "together", weight: 8, arbitrary });
  }
  return sequenceOf(fc.oneof({ withCrossShrink: true }, ...chosen), { minLength, maxLength });
}

/** Arbitraries of commands, and of sequences of them, that rules draw from. All shrink to the plainest, and to any part. */

import fc from "fast-check";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../base/duration.ts";
import { sequenceOf } from "../../arbitraries/sequence.ts";
import type { ClientCommand, Command } from "../../session/command.ts";

type One<Kind extends Command["kind"]> = fc.Arbitrary<Extract<Command, { kind: Kind }>>;

/** Most sequences are no longer than a person would read. */
const MAX_COMMANDS = 8;
const MAX_AT_ONCE = 4;

// Places wrap around: a few are enough to meet the same one twice.
const place: fc.Arbitrary<number> = fc.nat({ max: 3 });

export const showing: One<"impression"> = fc.record({
  kind: fc.constant("impression"),
  surface: place,
});
/** One in four has an unusual name. They shrink to plain ones. */
export const anyAdView: One<"impression"> = fc
  .tuple(place, fc.constantFrom("plain", "plain", "plain", "unusual"))
  .map(([surface, spelling]) => ({
    kind: "impression",
    surface,
    ...(spelling === "unusual" && { spelling }),
  }));
export const again: One<"again"> = fc.record({ kind: fc.constant("again"), impression: place });
export const click: One<"click"> = fc.record({ kind: fc.constant("click"), impression: place });
export const flush: One<"flush"> = fc.constant({ kind: "flush" });
export const surfaces: One<"surfaces"> = fc.constant({ kind: "surfaces" });
export const payouts: One<"payouts"> = fc.constant({ kind: "payouts" });
/** Without a period: of all surfaces, or of one. */
export const stats: One<"stats"> = fc.record(
  { kind: fc.constant("stats"), surface: place },
  { requiredKeys: ["kind"] },
);

/** Time passes, but no more than three minutes: a whole sequence of it stays within every window. */
export const shortPause: One<"advance"> = pausesOf(1, 1000, MINUTE_MS, 3 * MINUTE_MS);
/** Time passes, to a later part of the day or to the next. */
export const longPause: One<"advance"> = pausesOf(1, HOUR_MS, 5.5 * HOUR_MS, DAY_MS);

function pausesOf(...choicesMs: readonly number[]): One<"advance"> {
  return fc.record({ kind: fc.constant("advance"), byMs: fc.constantFrom(...choicesMs) });
}

/** Each so many times as often as one of weight 1. They shrink to the first. */
export function weightedOneOf<Values extends readonly unknown[]>(
  ...weighted: { [At in keyof Values]: readonly [weight: number, of: fc.Arbitrary<Values[At]>] }
): fc.Arbitrary<Values[number]> {
  return fc.oneof(...weighted.map(([weight, arbitrary]) => ({ weight, arbitrary })));
}

/** Several of them at once. */
export function together(...commands: readonly fc.Arbitrary<ClientCommand>[]): One<"together"> {
  return fc.record({
    kind: fc.constant("together"),
    commands: sequenceOf(fc.oneof(...commands), { minLength: 2, maxLength: MAX_AT_ONCE }),
  });
}

/** Showings mostly, and clicks on them; and for a client that queues now and then a flush. */
export const event: fc.Arbitrary<Command> = weightedOneOf(
  [5, showing],
  [3, click],
  [1, together(showing)],
  [1, flush],
);
/** The same with names of any spelling. */
export const anyEvent: fc.Arbitrary<Command> = weightedOneOf([2, anyAdView], [1, event]);
export const question: fc.Arbitrary<Command> = fc.oneof(stats, surfaces, payouts);

/** Some of these, in any order. */
export function commandsOf(
  ...commands: readonly fc.Arbitrary<Command>[]
): fc.Arbitrary<readonly Command[]> {
  return sequenceOf(fc.oneof(...commands), { minLength: 1, maxLength: MAX_COMMANDS });
}

/** The same behind first ones, which stay. */
export function commandsAfter(
  first: readonly fc.Arbitrary<Command>[],
  ...commands: readonly fc.Arbitrary<Command>[]
): fc.Arbitrary<readonly Command[]> {
  return sequence(first, fc.oneof(...commands), MAX_COMMANDS);
}

/** First what it takes, which stays; then more of the like, up to so many. */
export function sequence(
  first: readonly fc.Arbitrary<Command>[],
  more: fc.Arbitrary<Command> = event,
  maxLength = 5,
): fc.Arbitrary<readonly Command[]> {
  return fc
    .tuple(fc.tuple(...first), sequenceOf(more, { minLength: 0, maxLength }))
    .map((parts) => parts.flat());
}

/** Whatever a client is there for, in a world where nothing goes wrong. `shown`: what its showings are like. */
export function everyday(shown: One<"impression"> = showing): fc.Arbitrary<readonly Command[]> {
  return commandsAfter(
    [shown],
    shown,
    click,
    stats,
    surfaces,
    payouts,
    again,
    flush,
    shortPause,
    together(shown, click),
  );
}

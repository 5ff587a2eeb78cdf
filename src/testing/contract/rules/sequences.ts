/** Arbitraries of commands and sequences for the rules. Commands shrink to the plainest, sequences to any part. */

import fc from "fast-check";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../base/duration.ts";
import { sequenceOf } from "../../arbitraries/sequence.ts";
import type { ClientCommand, Command } from "../../session/command.ts";

type One<Kind extends Command["kind"]> = fc.Arbitrary<Extract<Command, { kind: Kind }>>;

/** Short enough to read. */
const MAX_COMMANDS = 8;
const MAX_AT_ONCE = 4;

// Indexes wrap around. A small range makes repeats likely.
const place: fc.Arbitrary<number> = fc.nat({ max: 3 });

export const adView: One<"impression"> = fc.record({
  kind: fc.constant("impression"),
  surface: place,
});
/** One in four has unusual names. They shrink to plain ones. */
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
export const close: One<"close"> = fc.constant({ kind: "close" });
export const surfaces: One<"surfaces"> = fc.constant({ kind: "surfaces" });
export const payouts: One<"payouts"> = fc.constant({ kind: "payouts" });
/** Without a period, for all surfaces or for one. */
export const stats: One<"stats"> = fc.record(
  { kind: fc.constant("stats"), surface: place },
  { requiredKeys: ["kind"] },
);

/** At most three minutes, so that even a whole sequence of pauses stays within every window. */
export const shortPause: One<"advance"> = pausesOf(1, 1000, MINUTE_MS, 3 * MINUTE_MS);
/** Up to a day. */
export const longPause: One<"advance"> = pausesOf(1, HOUR_MS, 5.5 * HOUR_MS, DAY_MS);

/** Shrinks to the first. */
export function pausesOf(...choicesMs: readonly number[]): One<"advance"> {
  return fc.record({ kind: fc.constant("advance"), byMs: fc.constantFrom(...choicesMs) });
}

/** Chooses by weight. Shrinks to the first. */
export function weightedOneOf<Values extends readonly unknown[]>(
  ...weighted: { [At in keyof Values]: readonly [weight: number, of: fc.Arbitrary<Values[At]>] }
): fc.Arbitrary<Values[number]> {
  return fc.oneof(...weighted.map(([weight, arbitrary]) => ({ weight, arbitrary })));
}

/** Several of these commands at once. */
export function together(...commands: readonly fc.Arbitrary<ClientCommand>[]): One<"together"> {
  return fc.record({
    kind: fc.constant("together"),
    commands: sequenceOf(fc.oneof(...commands), { minLength: 2, maxLength: MAX_AT_ONCE }),
  });
}

/** All these commands at once. */
export function togetherAll(...commands: readonly fc.Arbitrary<ClientCommand>[]): One<"together"> {
  return fc.tuple(...commands).map((all) => ({ kind: "together", commands: all }));
}

/** All these commands, each a second after the one before, without waiting for that. */
export function apart(...commands: readonly fc.Arbitrary<ClientCommand>[]): One<"together"> {
  return togetherAll(...commands).map((all) => ({ ...all, apartMs: 1000 }));
}

/** Mostly ad views, and clicks on them; sometimes a flush. */
export const event: fc.Arbitrary<Command> = weightedOneOf(
  [5, adView],
  [3, click],
  [1, together(adView)],
  [1, flush],
);
/** The same with plain or unusual names. */
export const anyEvent: fc.Arbitrary<Command> = weightedOneOf([2, anyAdView], [1, event]);
export const question: fc.Arbitrary<Command> = fc.oneof(stats, surfaces, payouts);

/** Some of these commands in any order. */
export function commandsOf(
  ...commands: readonly fc.Arbitrary<Command>[]
): fc.Arbitrary<readonly Command[]> {
  return sequenceOf(fc.oneof(...commands), { minLength: 1, maxLength: MAX_COMMANDS });
}

/** The same after fixed first commands. */
export function commandsAfter(
  first: readonly fc.Arbitrary<Command>[],
  ...commands: readonly fc.Arbitrary<Command>[]
): fc.Arbitrary<readonly Command[]> {
  return sequence(first, fc.oneof(...commands), MAX_COMMANDS);
}

/** Fixed first commands, then up to `maxLength` more. */
export function sequence(
  first: readonly fc.Arbitrary<Command>[],
  more: fc.Arbitrary<Command> = event,
  maxLength = 5,
): fc.Arbitrary<readonly Command[]> {
  return fc
    .tuple(fc.tuple(...first), sequenceOf(more, { minLength: 0, maxLength }))
    .map((parts) => parts.flat());
}

/** Ordinary use of a client, without faults. `shown` draws its ad views. */
export function everyday(shown: One<"impression"> = adView): fc.Arbitrary<readonly Command[]> {
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

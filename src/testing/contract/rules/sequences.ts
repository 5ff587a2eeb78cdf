/** Arbitraries of commands and sequences for the rules. Commands shrink to the plainest, sequences to any part. */

import fc from "fast-check";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../base/duration.ts";
import { sequenceOf } from "../../arbitraries/sequence.ts";
import { atOnce, type ClientCommand, type Command } from "../../session/command.ts";

type One<Kind extends Command["kind"]> = fc.Arbitrary<Extract<Command, { kind: Kind }>>;

// Most sequences are short, so that many fit into little time. A few are long or wide.
const MAX_COMMANDS = 8;
const MAX_IF_LONG = 40;
const MAX_AT_ONCE = 4;
const MAX_IF_WIDE = 30;

// Indexes wrap around. A small range makes repeats likely.
const place: fc.Arbitrary<number> = fc.nat({ max: 3 });
/** Long sequences have more views. */
const anyPlace: fc.Arbitrary<number> = weightedOneOf([4, place], [1, fc.nat({ max: MAX_IF_LONG })]);

export const adView: One<"impression"> = fc.record({
  kind: fc.constant("impression"),
  surface: place,
});
/** Two in five have names that clients may change. They shrink to plain ones. */
export const anyAdView: One<"impression"> = fc
  .tuple(place, fc.constantFrom("plain", "plain", "plain", "unusual", "numeric"))
  .map(([surface, spelling]) => ({
    kind: "impression",
    surface,
    ...(spelling !== "plain" && { spelling }),
  }));
/** Another view of an ad that was shown before, on the same surface or on another. */
export const adAgain: One<"impression"> = fc.record({
  kind: fc.constant("impression"),
  surface: place,
  ad: place,
});
export const again: One<"again"> = fc.record({ kind: fc.constant("again"), impression: anyPlace });
/** The same view as that one's, once more. */
export function againOf(impression: number): One<"again"> {
  return fc.constant({ kind: "again", impression });
}
export const click: One<"click"> = fc.record({ kind: fc.constant("click"), impression: anyPlace });
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
/** Longer or shorter than `dedup.window`, whatever its choice. */
export const anyPause: One<"advance"> = pausesOf(
  MINUTE_MS,
  31 * MINUTE_MS,
  5.5 * HOUR_MS,
  3 * DAY_MS,
);
/** A day or more. */
export const pauseOfDays: One<"advance"> = pausesOf(DAY_MS, 3 * DAY_MS);
/** In any long sequence. Days would take long if the client does something every second. */
const pauseBetween: One<"advance"> = pausesOf(1000, MINUTE_MS, 31 * MINUTE_MS, 5.5 * HOUR_MS);

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

/** Several of these commands at once. Shrinks to a single one. */
export function together(
  ...commands: readonly fc.Arbitrary<ClientCommand>[]
): fc.Arbitrary<Command> {
  const some = fc.oneof(...commands);
  return weightedOneOf([15, someAtOnce(some, MAX_AT_ONCE)], [1, someAtOnce(some, MAX_IF_WIDE)]);
}

/** From 20 to 30 of these commands at once. */
export function burst(...commands: readonly fc.Arbitrary<ClientCommand>[]): fc.Arbitrary<Command> {
  return someAtOnce(fc.oneof(...commands), MAX_IF_WIDE, 20);
}

function someAtOnce(
  some: fc.Arbitrary<ClientCommand>,
  maxLength: number,
  minLength = 1,
): fc.Arbitrary<Command> {
  return sequenceOf(some, { minLength, maxLength }).map(atOnce);
}

/** All these commands at once. */
export function togetherAll(...commands: readonly fc.Arbitrary<ClientCommand>[]): One<"together"> {
  return fc.tuple(...commands).map((all) => ({ kind: "together", commands: all }));
}

/** All these commands, each a second after the one before, without waiting for that. */
export function apart(...commands: readonly fc.Arbitrary<ClientCommand>[]): One<"together"> {
  return togetherAll(...commands).map((all) => ({ ...all, apartMs: 1000 }));
}

/** More events than many queues hold, without a flush. */
export const rush: fc.Arbitrary<readonly Command[]> = sequenceOf(burst(adView, adView, click), {
  minLength: 1,
  maxLength: 9,
});

/** Mostly ad views, and clicks on them; sometimes a flush. */
export const event: fc.Arbitrary<Command> = weightedOneOf(
  [5, adView],
  [3, click],
  [1, together(adView)],
  [1, flush],
);
/** The same, with names that clients may change, too. */
export const anyEvent: fc.Arbitrary<Command> = weightedOneOf([2, anyAdView], [1, event]);
export const query: fc.Arbitrary<ClientCommand> = fc.oneof(stats, surfaces, payouts);

/** Some of these commands in any order. */
export function commandsOf(
  ...commands: readonly fc.Arbitrary<Command>[]
): fc.Arbitrary<readonly Command[]> {
  return shortOrLong(fc.oneof(...commands), { minLength: 1, maxLength: MAX_COMMANDS });
}

function shortOrLong(
  some: fc.Arbitrary<Command>,
  length: { readonly minLength: number; readonly maxLength: number },
): fc.Arbitrary<readonly Command[]> {
  const withPauses = weightedOneOf([7, some], [1, pauseBetween]);
  return weightedOneOf(
    [13, sequenceOf(some, length)],
    [1, sequenceOf(withPauses, { ...length, maxLength: MAX_IF_LONG })],
  );
}

/** Fixed first commands, then some of the others in any order. */
export function commandsAfter(
  first: readonly fc.Arbitrary<Command>[],
  ...commands: readonly fc.Arbitrary<Command>[]
): fc.Arbitrary<readonly Command[]> {
  return sequence(first, fc.oneof(...commands), MAX_COMMANDS);
}

/** These commands and sequences, one after the other. */
export function inTurn(
  ...parts: readonly fc.Arbitrary<Command | readonly Command[]>[]
): fc.Arbitrary<readonly Command[]> {
  return fc.tuple(...parts).map((all) => all.flat());
}

/** Fixed first commands, then up to `maxLength` more; in a few long sequences up to 40. */
export function sequence(
  first: readonly fc.Arbitrary<Command>[],
  more: fc.Arbitrary<Command> = event,
  maxLength = 5,
): fc.Arbitrary<readonly Command[]> {
  return inTurn(...first, shortOrLong(more, { minLength: 0, maxLength }));
}

/** Ordinary use of a client, without faults. `shown` draws its ad views. */
export function everyday(shown: One<"impression"> = adView): fc.Arbitrary<readonly Command[]> {
  return commandsOf(
    shown,
    shown,
    click,
    stats,
    surfaces,
    payouts,
    again,
    adAgain,
    flush,
    shortPause,
    together(shown, click),
  );
}

/** Arbitraries of commands, and of sequences of them, that several rules draw from. All shrink to the plainest. */

import fc from "fast-check";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../base/duration.ts";
import type { ClientCommand, Command } from "../session/command.ts";

type One<Kind extends Command["kind"]> = fc.Arbitrary<Extract<Command, { kind: Kind }>>;

/** Most sequences are no longer than a person would read. */
const MOST_COMMANDS = 8;
const MOST_AT_ONCE = 4;

// Places wrap around: a few are enough to meet the same one twice.
const place: fc.Arbitrary<number> = fc.nat({ max: 3 });

export const impressions: One<"impression"> = fc.record({
  kind: fc.constant("impression"),
  surface: place,
});
export const repeats: One<"again"> = fc.record({ kind: fc.constant("again"), impression: place });
export const clicks: One<"click"> = fc.record({ kind: fc.constant("click"), impression: place });
export const flushes: One<"flush"> = fc.constant({ kind: "flush" });
export const surfaceLists: One<"surfaces"> = fc.constant({ kind: "surfaces" });
export const payoutLists: One<"payouts"> = fc.constant({ kind: "payouts" });
/** Without a period: of all surfaces, or of one. */
export const statistics: One<"stats"> = fc.record(
  { kind: fc.constant("stats"), surface: place },
  { requiredKeys: ["kind"] },
);

/** Time passes, but no more than three minutes: a whole sequence of it stays within every window. */
export const shortPauses: One<"advance"> = pausesOf(1, 1000, MINUTE_MS, 3 * MINUTE_MS);
/** Time passes, to a later part of the day or to the next. */
export const longPauses: One<"advance"> = pausesOf(1, HOUR_MS, 5.5 * HOUR_MS, DAY_MS);

function pausesOf(...choicesMs: readonly number[]): One<"advance"> {
  return fc.record({ kind: fc.constant("advance"), byMs: fc.constantFrom(...choicesMs) });
}

/** Several of them at once. */
export function together(...commands: readonly fc.Arbitrary<ClientCommand>[]): One<"together"> {
  return fc.record({
    kind: fc.constant("together"),
    commands: fc.array(fc.oneof(...commands), { minLength: 2, maxLength: MOST_AT_ONCE }),
  });
}

/** Some of these, in any order. */
export function sequencesOf(
  ...commands: readonly fc.Arbitrary<Command>[]
): fc.Arbitrary<readonly Command[]> {
  return someOf(commands, 1);
}

/** The same behind first ones, which stay. */
export function sequencesAfter(
  first: readonly fc.Arbitrary<Command>[],
  ...commands: readonly fc.Arbitrary<Command>[]
): fc.Arbitrary<readonly Command[]> {
  return fc.tuple(fc.tuple(...first), someOf(commands, 0)).map((parts) => parts.flat());
}

function someOf(
  commands: readonly fc.Arbitrary<Command>[],
  minLength: number,
): fc.Arbitrary<readonly Command[]> {
  return fc.array(fc.oneof(...commands), { minLength, maxLength: MOST_COMMANDS, size: "max" });
}

/** Whatever a client is there for, in a world where nothing goes wrong. */
export function everydaySequences(): fc.Arbitrary<readonly Command[]> {
  return sequencesAfter(
    [impressions],
    impressions,
    clicks,
    statistics,
    surfaceLists,
    payoutLists,
    repeats,
    flushes,
    shortPauses,
    together(impressions, clicks),
  );
}

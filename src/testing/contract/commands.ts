/** What a client is asked for in scenes, by name. Commands shrink to the plainest. */

import fc from "fast-check";
import { given } from "../../base/given.ts";
import type { ClientCommand } from "../session/command.ts";

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
/** A period that is never inverted. */
const period: Word = fc.tuple(day, day, maybePlace).map(([one, other, surface]) => {
  const isInverted = one !== undefined && other !== undefined && one > other;
  const [from, to] = (isInverted ? [other, one] : [one, other]).map((at) => days[at ?? -1]);
  return { kind: "stats", ...given({ from, to, surface }) };
});

export const clientWords: Readonly<Record<string, Word>> = {
  view,
  click,
  stats,
  surfaces,
  payouts,
  flush,
  period,
  close: fc.constant({ kind: "close" }),
  again: anyView.map((impression) => ({ kind: "again", impression })),
  /** A view whose ad and session have names that clients may change. */
  odd: fc
    .tuple(place, fc.constantFrom("unusual" as const, "numeric" as const))
    .map(([surface, spelling]) => ({ kind: "impression", surface, spelling })),
  /** Another view of an ad that was shown before, on the same surface or on another. */
  same: fc.tuple(place, place).map(([surface, ad]) => ({ kind: "impression", surface, ad })),
  query: fc.oneof(stats, surfaces, payouts),
  event: fc.oneof(
    { weight: 5, arbitrary: view },
    { weight: 3, arbitrary: click },
    { weight: 1, arbitrary: flush },
  ),
  /** The first day after the default start. */
  tomorrow: fc.constant({ kind: "stats", from: "2026-01-16", to: "2026-01-16" }),
};

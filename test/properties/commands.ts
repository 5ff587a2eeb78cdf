/** Random commands. Each is abstract ("the third impression known so far"): perform.ts resolves and plays it. */

import fc from "fast-check";
import { anyVariation, type Encoding, type Variation } from "./variations.ts";

export type Target =
  | "known"
  | "latest"
  | "foreign"
  | "unknown"
  | "truncated"
  | "changed"
  | "other-kind";
export type Edge =
  | "moment"
  | "midnight"
  | "minute"
  | "quota"
  | "dedup-window"
  | "click-window"
  | "payday"
  | "course"
  | "days"
  | "leap-day"
  | "year-end"
  | "years";
export type Nudge = -1 | 0 | 1;

/** How a request is sent, and how often. */
interface Sending {
  readonly who: number;
  readonly as: Encoding;
  readonly variation: Variation;
  readonly times: number;
  readonly claims: "own" | "foreign" | "nonexistent";
}

export type Command =
  | (Sending & {
      readonly kind: "impression";
      /** One past the last is a surface that nobody has. */
      readonly surface: number;
      readonly ad: number;
      readonly session: number | undefined;
    })
  | (Sending & { readonly kind: "click"; readonly target: Target; readonly pick: number })
  | (Sending & {
      readonly kind: "stats";
      readonly from: number | string | undefined;
      readonly to: number | string | undefined;
      readonly surface: number | undefined;
    })
  | (Sending & { readonly kind: "payouts"; readonly limit: string | undefined })
  | (Sending & { readonly kind: "surfaces"; readonly deadKey: boolean })
  | {
      readonly kind: "advance";
      readonly to: Edge;
      readonly nudgeMs: Nudge;
      readonly by: number;
    }
  | { readonly kind: "dedup-edge" | "click-edge"; readonly who: number; readonly nudgeMs: Nudge }
  | {
      readonly kind: "payout-edge";
      readonly who: number;
      readonly to: "payday" | "course";
      readonly nudgeMs: Nudge;
      readonly by: number;
    }
  | { readonly kind: "overnight" | "rotate-key"; readonly who: number }
  | {
      readonly kind: "set-surface";
      readonly who: number;
      readonly surface: number;
      readonly status: string | undefined;
      readonly cpm: readonly [number, number] | undefined;
    }
  | { readonly kind: "sign-up"; readonly surfaces: number }
  | { readonly kind: "snapshot" | "restore" | "fork" | "reset" };

export type CommandKind = Command["kind"] | "flood";

const who = fc.integer({ min: 0, max: 4 });
const surface = fc.integer({ min: 0, max: 3 });
const nudgeMs = fc.constantFrom<Nudge>(-1, 0, 1);
const encoding = fc.constantFrom<Encoding>(
  "understood",
  "understood",
  "understood",
  "understood",
  "json",
  "form",
  "query",
  "bytes",
);
const often = (times: number): fc.Arbitrary<number> =>
  fc.oneof({ weight: 8, arbitrary: fc.constant(1) }, { weight: 1, arbitrary: fc.constant(times) });
const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined });
const claims = fc.oneof(
  { weight: 9, arbitrary: fc.constant("own" as const) },
  { weight: 1, arbitrary: fc.constantFrom("foreign" as const, "nonexistent" as const) },
);
const sending = { who, as: encoding, claims };

const impression = (twists: fc.Arbitrary<Variation>) =>
  fc.record({
    kind: fc.constant("impression" as const),
    ...sending,
    variation: twists,
    surface,
    ad: fc.integer({ min: 0, max: 1 }),
    session: maybe(fc.integer({ min: 0, max: 1 })),
    times: often(3),
  });
const click = (twists: fc.Arbitrary<Variation>) =>
  fc.record({
    kind: fc.constant("click" as const),
    ...sending,
    variation: twists,
    target: fc.constantFrom<Target>(
      "known",
      "known",
      "latest",
      "latest",
      "foreign",
      "unknown",
      "truncated",
      "changed",
      "other-kind",
    ),
    pick: fc.nat(1000),
    times: fc.integer({ min: 1, max: 2 }),
  });
const wrongDate = fc.constantFrom("2026-02-29", "2026-1-1", "today", "");
/** Days from today, as often near as far. */
const day = (first: number, last: number): fc.Arbitrary<number | string | undefined> =>
  maybe(
    fc.oneof(
      { weight: 6, arbitrary: fc.integer({ min: first, max: last }) },
      { weight: 6, arbitrary: fc.integer({ min: -45, max: 3 }) },
      { weight: 1, arbitrary: wrongDate },
    ),
  );
const stats = (twists: fc.Arbitrary<Variation>, times: fc.Arbitrary<number>) =>
  fc.record({
    kind: fc.constant("stats" as const),
    ...sending,
    variation: twists,
    from: day(-800, 2),
    to: day(-40, 40),
    surface: maybe(surface),
    times,
  });
const payouts = (twists: fc.Arbitrary<Variation>, times: fc.Arbitrary<number>) =>
  fc.record({
    kind: fc.constant("payouts" as const),
    ...sending,
    variation: twists,
    limit: maybe(fc.constantFrom("1", "2", "20", "99", "100", "101", "0", "-1", "1e1", "999999")),
    times,
  });
const surfaces = (twists: fc.Arbitrary<Variation>, times: fc.Arbitrary<number>) =>
  fc.record({
    kind: fc.constant("surfaces" as const),
    ...sending,
    variation: twists,
    deadKey: fc.boolean(),
    times,
  });
/** Past the reporting limit, or just up to it. */
const many = fc.constantFrom(59, 60, 62);
const edges: readonly Edge[] = [
  "moment",
  "midnight",
  "midnight",
  "minute",
  "quota",
  "quota",
  "dedup-window",
  "dedup-window",
  "click-window",
  "payday",
  "course",
  "days",
  "days",
  "leap-day",
  "year-end",
  "years",
];
const cpm = fc
  .tuple(fc.integer({ min: 0, max: 1_000_000 }), fc.integer({ min: 0, max: 1_000_000 }))
  .map(([a, b]) => [Math.min(a, b) / 100, Math.max(a, b) / 100] as const);

const once = fc.constant(1);

const commands = (
  twists: fc.Arbitrary<Variation>,
): { readonly [Kind in CommandKind]: fc.Arbitrary<Command> } => ({
  impression: impression(twists),
  click: click(twists),
  stats: stats(twists, once),
  payouts: payouts(twists, once),
  surfaces: surfaces(twists, once),
  flood: fc.oneof(surfaces(twists, many), stats(twists, many), payouts(twists, many)),
  advance: fc.record({
    kind: fc.constant("advance" as const),
    to: fc.constantFrom(...edges),
    nudgeMs,
    by: fc.nat(100_000_000),
  }),
  "dedup-edge": fc.record({ kind: fc.constant("dedup-edge" as const), who, nudgeMs }),
  "click-edge": fc.record({ kind: fc.constant("click-edge" as const), who, nudgeMs }),
  "payout-edge": fc.record({
    kind: fc.constant("payout-edge" as const),
    who,
    to: fc.constantFrom("payday" as const, "course" as const, "course" as const),
    nudgeMs,
    by: fc.nat(1000),
  }),
  overnight: fc.record({ kind: fc.constant("overnight" as const), who }),
  "rotate-key": fc.record({ kind: fc.constant("rotate-key" as const), who }),
  "set-surface": fc.record({
    kind: fc.constant("set-surface" as const),
    who,
    surface: fc.integer({ min: 0, max: 2 }),
    status: maybe(fc.constantFrom("active", "active", "paused", "archived", "pending_review")),
    cpm: maybe(cpm),
  }),
  "sign-up": fc.record({
    kind: fc.constant("sign-up" as const),
    surfaces: fc.integer({ min: 1, max: 3 }),
  }),
  snapshot: fc.constant({ kind: "snapshot" as const }),
  restore: fc.constant({ kind: "restore" as const }),
  fork: fc.constant({ kind: "fork" as const }),
  reset: fc.constant({ kind: "reset" as const }),
});

/** How often each kind of command comes, where a campaign doesn't say otherwise. */
export const usualWeights: Readonly<Record<CommandKind, number>> = {
  impression: 30,
  click: 14,
  stats: 12,
  payouts: 6,
  surfaces: 3,
  flood: 1,
  advance: 18,
  "dedup-edge": 3,
  "click-edge": 2,
  "payout-edge": 2,
  overnight: 1,
  "rotate-key": 2,
  "set-surface": 3,
  "sign-up": 2,
  snapshot: 3,
  restore: 2,
  fork: 2,
  reset: 1,
};

/** Any command, each kind about as often as its weight says; one request in so many is unusual. */
export function anyCommand(
  weights: Readonly<Record<CommandKind, number>>,
  oneIn: number,
): fc.Arbitrary<Command> {
  const kinds = Object.entries(commands(anyVariation(oneIn))) as [
    CommandKind,
    fc.Arbitrary<Command>,
  ][];
  return fc.oneof(...kinds.map(([kind, arbitrary]) => ({ weight: weights[kind], arbitrary })));
}

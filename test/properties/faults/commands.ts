/** Random worlds with fault rules, and what a client, an operator and a network do to them. */

import fc from "fast-check";
import type { Verdict } from "../../../src/faults/verdict.ts";
import type { Assumptions, Profile, Readings } from "../../../src/index.ts";

/** A rule before its publisher has an id. */
export interface PlannedRule {
  readonly operation: "impression" | "click" | "stats" | undefined;
  /** Place of the publisher whose requests it looks at; undefined: any. */
  readonly publisher: number | undefined;
  readonly onFirstSurface: boolean;
  readonly nth: readonly number[] | undefined;
  readonly every: number | undefined;
  readonly share: number | undefined;
  readonly times: number | undefined;
  readonly per: "publisher" | "world" | undefined;
  readonly from?: string;
  readonly until?: string;
  readonly verdict: Verdict;
}

/** When the client goes away: before the answer is handed over, or long after it was on its way. */
type Gone = "no" | "at once" | "later";

interface Attempting {
  /** Place of the publisher whose key is sent. */
  readonly who: number;
  readonly key: "own" | "wrong";
  /** How often the client sends it again as long as it has no answer of status 200. */
  readonly retries: number;
  readonly gone: Gone;
}

export type Command =
  | (Attempting & {
      readonly kind: "impression";
      /** Place of the publisher that it is for. */
      readonly for: number;
      readonly surface: "first" | "second" | "none";
      readonly ad: number;
      readonly session: number | undefined;
      readonly retryWith: "the same session" | "no session" | "another session";
    })
  | (Attempting & {
      readonly kind: "click";
      readonly target: "an impression" | "nothing";
      readonly pick: number;
    })
  | (Attempting & { readonly kind: "other"; readonly what: Other })
  | { readonly kind: "advance"; readonly ms: number }
  | { readonly kind: "add"; readonly rule: PlannedRule }
  | { readonly kind: "assume"; readonly readings: Readings }
  | { readonly kind: "rotate" | "fill"; readonly who: number }
  | { readonly kind: "remove" | "snapshot" | "restore" | "fork" | "reset" };

/** Requests that no tally counts, or whose input is wrong. */
export type Other = "stats" | "HEAD" | "nowhere" | "no surface" | "redirect";

export interface WorldOptions {
  readonly seed: string;
  readonly publishers: number;
  readonly profile: Profile;
  readonly assumptions: Pick<Assumptions, ChosenKey>;
}

const choices = {
  "auth.key-scope": ["publisher", "any"],
  "dedup.key": ["surface-ad-session", "surface-session", "session"],
  "dedup.repeat": ["original-uncredited", "replay", "conflict", "count"],
  "dedup.window": ["30m", "24h", "forever"],
  "click.repeat": ["original-uncredited", "replay", "conflict", "count"],
  "click.unknown": ["404", "accept-uncredited"],
  "limit.rejected-requests": ["spend", "free"],
  "limit.recording-pool": ["shared", "separate"],
  "http.trailing-slash": ["404", "same", "308"],
  "money.precision": ["exact", "paise"],
} as const;
type ChosenKey = keyof typeof choices;

const choiceOf = <Key extends ChosenKey>(key: Key): fc.Arbitrary<(typeof choices)[Key][number]> =>
  fc.constantFrom<(typeof choices)[Key][number]>(...choices[key]);

/** Each choice about as often as any other; a failure shrinks to the defaults, which come first. */
export const anyWorld: fc.Arbitrary<WorldOptions> = fc.record({
  seed: fc.constantFrom("adsim", "a", "🌱"),
  publishers: fc.integer({ min: 1, max: 3 }),
  // Long histories have payouts, and take long to make.
  profile: fc.constantFrom<Profile>("tiny", "tiny", "tiny", "tiny", "typical"),
  assumptions: fc.record({
    "auth.key-scope": choiceOf("auth.key-scope"),
    "dedup.key": choiceOf("dedup.key"),
    "dedup.repeat": choiceOf("dedup.repeat"),
    "dedup.window": choiceOf("dedup.window"),
    "click.repeat": choiceOf("click.repeat"),
    "click.unknown": choiceOf("click.unknown"),
    "limit.rejected-requests": choiceOf("limit.rejected-requests"),
    "limit.recording-pool": choiceOf("limit.recording-pool"),
    "http.trailing-slash": choiceOf("http.trailing-slash"),
    "money.precision": choiceOf("money.precision"),
  }),
});

const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined });
const loss = maybe(fc.constantFrom("close" as const, "reset" as const, "silence" as const));
/** An answer that takes a client in, and others that don't. */
const fakes: Verdict[] = [
  { kind: "respond", status: 503 },
  { kind: "respond", status: 429, headers: { "x-ratelimit-remaining": "0" }, body: "slow down" },
  {
    kind: "respond",
    status: 200,
    body: { ok: true, impression_id: "fake", click_id: "fake", revenue_credited_inr: 0.5 },
  },
];

/** A verdict of every kind, most of them more than one. */
const verdict: fc.Arbitrary<Verdict> = fc.oneof(
  fc.constant<Verdict>({ kind: "delay", delay: 5 }),
  fc
    .tuple(fc.constantFrom(...fakes), fc.boolean(), fc.boolean())
    .map(([fake, applied, late]): Verdict => {
      const merged = applied && fake.kind === "respond" ? { ...fake, applied } : fake;
      return late ? { ...merged, delay: 7 } : merged;
    }),
  loss.map((as): Verdict => ({ kind: "drop", as })),
  loss.map((as): Verdict => ({ kind: "lose-response", as })),
  loss.map((as): Verdict => ({ kind: "lose-response", as })),
  fc.constantFrom<Verdict>({ kind: "timeout" }, { kind: "reset" }, { kind: "empty" }),
  fc.constantFrom<Verdict>({ kind: "reset" }, { kind: "empty", delay: 3 }, { kind: "timeout" }),
  fc.constantFrom<Verdict>(
    { kind: "truncate", atByte: 0 },
    { kind: "truncate", atByte: 20 },
    { kind: "truncate", atByte: 100_000 },
    { kind: "truncate", share: 0.5 },
    { kind: "truncate", share: 1 },
  ),
  fc.constantFrom<Verdict>({ kind: "garbage" }, { kind: "garbage", as: "response" }),
  fc.constantFrom<Verdict>({ kind: "drip", bytesPerSecond: 10 }, { kind: "reorder", by: 2 }),
  fc.constantFrom<Verdict>({ kind: "reorder" }, { kind: "drip", bytesPerSecond: 1, delay: 9 }),
  fc.constantFrom<Verdict>(
    { kind: "duplicate" },
    { kind: "duplicate", answer: "second" },
    { kind: "duplicate", answer: "second", delay: 4 },
  ),
);

const rule: fc.Arbitrary<PlannedRule> = fc.record({
  operation: fc.constantFrom(undefined, "impression" as const, "click" as const, "stats" as const),
  publisher: fc.constantFrom(undefined, undefined, 0, 1),
  onFirstSurface: fc.nat(5).map((number) => number === 5),
  nth: maybe(fc.constantFrom([1], [2], [1, 3], [2, 3])),
  every: fc.constantFrom(undefined, undefined, 2),
  share: fc.constantFrom(undefined, undefined, 0.5),
  times: fc.constantFrom(undefined, 1, 2),
  per: fc.constantFrom(undefined, undefined, "world" as const),
  verdict,
});

const place = fc.nat(2);
const gone = fc.constantFrom<Gone>("no", "no", "no", "no", "at once", "later");
const attempting = {
  who: place,
  key: fc.nat(11).map((number) => (number === 11 ? ("wrong" as const) : ("own" as const))),
  retries: fc.nat(2),
  gone,
};
const anyImpression: fc.Arbitrary<Command> = fc
  .record({
    kind: fc.constant("impression" as const),
    ...attempting,
    stray: fc.nat(6),
    surface: fc.constantFrom(
      "first" as const,
      "first" as const,
      "second" as const,
      "none" as const,
    ),
    ad: fc.nat(1),
    session: fc.constantFrom(undefined, 0, 0, 1),
    retryWith: fc.constantFrom(
      "the same session" as const,
      "the same session" as const,
      "no session" as const,
      "another session" as const,
    ),
  })
  .map(({ stray, ...one }) => ({ ...one, for: stray === 6 ? one.who + 1 : one.who }));
const anyClick: fc.Arbitrary<Command> = fc.record({
  kind: fc.constant("click" as const),
  ...attempting,
  target: fc.nat(7).map((n) => (n === 7 ? ("nothing" as const) : ("an impression" as const))),
  pick: fc.nat(9),
});
const anyAssumption: fc.Arbitrary<Command> = fc
  .oneof(
    ...(
      ["auth.key-scope", "click.repeat", "click.unknown", "limit.rejected-requests"] as const
    ).map((key) => choiceOf(key).map((choice): Readings => ({ [key]: choice }))),
  )
  .map((readings) => ({ kind: "assume" as const, readings }));

const anyCommand: fc.Arbitrary<Command> = fc.oneof(
  { weight: 22, arbitrary: anyImpression },
  { weight: 10, arbitrary: anyClick },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("other" as const),
      ...attempting,
      what: fc.constantFrom<Other>("stats", "HEAD", "nowhere", "no surface", "redirect"),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("advance" as const),
      ms: fc.constantFrom(1, 60_000, 1_800_000, 86_400_000, 40 * 86_400_000),
    }),
  },
  { weight: 4, arbitrary: rule.map((one) => ({ kind: "add" as const, rule: one })) },
  { weight: 1, arbitrary: anyAssumption },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom("rotate", "fill"), who: place }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        "remove" as const,
        "snapshot" as const,
        "snapshot" as const,
        "restore" as const,
        "restore" as const,
        "fork" as const,
        "reset" as const,
      ),
    }),
  },
);

export const anyRules: fc.Arbitrary<PlannedRule[]> = fc.array(rule, { minLength: 1, maxLength: 3 });

/** Rules that look at requests and pick out none. */
export const rulesThatNeverFire: fc.Arbitrary<PlannedRule[]> = fc.array(
  fc
    .tuple(
      rule,
      fc.constantFrom<Partial<PlannedRule>>(
        { nth: [1000] },
        { every: 1000 },
        { share: 0 },
        { from: "9000-01-01T00:00:00Z" },
        { until: "2000-01-01T00:00:00Z" },
      ),
    )
    .map(([any, never]) => ({ ...any, nth: undefined, ...never })),
  { minLength: 1, maxLength: 3 },
);

export const anyCommands: fc.Arbitrary<Command[]> = fc.array(anyCommand, {
  minLength: 1,
  maxLength: 10,
  size: "max",
});

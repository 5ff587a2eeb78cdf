/** Random worlds with fault rules, and what a client, an operator and a network do to them. */

import fc from "fast-check";
import type { FaultMatch, FaultRule } from "../../../src/faults/rule.ts";
import type { Verdict } from "../../../src/faults/verdict.ts";
import type { Assumptions, Choices, Profile } from "../../../src/index.ts";
import { arbitraryFaultRule } from "../../../src/testing.ts";
import { anyAssumptions } from "../assumptions.ts";

/** A rule before its publisher has an id. */
export interface PlannedRule {
  readonly rule: FaultRule;
  /** Place of the publisher whose requests it looks at; undefined: any. */
  readonly publisher: number | undefined;
  readonly onFirstSurface: boolean;
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
  | { readonly kind: "assume"; readonly choices: Choices }
  | { readonly kind: "rotate" | "fill"; readonly who: number }
  | { readonly kind: "remove" | "snapshot" | "restore" | "fork" | "reset" };

/** Requests that no tally counts, or whose input is wrong. */
export type Other = "stats" | "HEAD" | "nowhere" | "no surface";

export interface WorldOptions {
  readonly seed: string;
  readonly publishers: number;
  readonly profile: Profile;
  readonly assumptions: Assumptions;
}

export const anyWorld: fc.Arbitrary<WorldOptions> = fc.record({
  seed: fc.constantFrom("adsim", "a", "🌱"),
  publishers: fc.integer({ min: 1, max: 3 }),
  // Long histories have payouts, and take long to make.
  profile: fc.constantFrom<Profile>("tiny", "tiny", "tiny", "tiny", "typical"),
  assumptions: anyAssumptions(
    [
      "auth.key-scope",
      "dedup.key",
      "dedup.repeat",
      "dedup.window",
      "click.repeat",
      "click.unknown",
      "limit.recording-pool",
      "money.precision",
    ],
    [],
  ),
});

/** An answer that deceives a client. */
const fake: Verdict = {
  kind: "respond",
  status: 200,
  body: { ok: true, impression_id: "fake", click_id: "fake", revenue_credited_inr: 0.5 },
};
const fakes = fc.constantFrom<FaultRule>(
  { match: { operation: "impression", times: 2 }, verdict: fake },
  { match: { times: 2 }, verdict: { ...fake, applied: true } },
);

const bounds = { longestDelayMs: 10, mostTimes: 2 };
/** A rule of any kind; a few never stop firing. */
const anyRule: fc.Arbitrary<FaultRule> = fc
  .tuple(
    fc.oneof(
      { weight: 3, arbitrary: arbitraryFaultRule(bounds) },
      {
        weight: 7,
        arbitrary: arbitraryFaultRule({ ...bounds, operations: ["impression", "click"] }),
      },
      { weight: 1, arbitrary: fakes },
    ),
    fc.constantFrom<FaultMatch>({}, {}, { per: "world" }, { times: undefined }),
  )
  .map(([one, match]) => ({ ...one, match: { ...one.match, ...match } }));

const rule: fc.Arbitrary<PlannedRule> = fc.record({
  rule: anyRule,
  publisher: fc.constantFrom(undefined, undefined, 0, 1),
  onFirstSurface: fc.nat(5).map((number) => number === 5),
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
  .constantFrom<Choices>(
    { "auth.key-scope": "publisher" },
    { "auth.key-scope": "any" },
    { "click.repeat": "original-uncredited" },
    { "click.repeat": "replay" },
    { "click.repeat": "conflict" },
    { "click.repeat": "count" },
    { "click.unknown": "404" },
    { "click.unknown": "400" },
  )
  .map((choices) => ({ kind: "assume", choices }));

const anyCommand: fc.Arbitrary<Command> = fc.oneof(
  { weight: 22, arbitrary: anyImpression },
  { weight: 10, arbitrary: anyClick },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("other" as const),
      ...attempting,
      what: fc.constantFrom<Other>("stats", "HEAD", "nowhere", "no surface"),
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
      fc.constantFrom<FaultMatch>(
        { nth: [1000] },
        { every: 1000 },
        { share: 0 },
        { from: "9000-01-01T00:00:00Z" },
        { until: "2000-01-01T00:00:00Z" },
      ),
    )
    .map(([planned, never]) => {
      const match = { ...planned.rule.match, nth: undefined, ...never };
      return { ...planned, rule: { ...planned.rule, match } };
    }),
  { minLength: 1, maxLength: 3 },
);

export const anyCommands: fc.Arbitrary<Command[]> = fc.array(anyCommand, {
  minLength: 1,
  maxLength: 10,
  size: "max",
});

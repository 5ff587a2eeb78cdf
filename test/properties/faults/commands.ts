/** Random worlds with fault rules, and what a client, an operator and a network do to them. */

import fc from "fast-check";
import type { FaultRule } from "../../../src/faults/rule.ts";
import type { Assumptions } from "../../../src/index.ts";
import { arbitraryFaultRule } from "../../../src/testing.ts";
import { anyAssumptions } from "../assumptions.ts";

/** A rule before its publisher has an id. */
export interface PlannedRule {
  readonly rule: FaultRule;
  /** Place of the publisher whose requests it looks at; undefined: any. */
  readonly publisher: number | undefined;
}

interface Attempting {
  /** Place of the publisher whose key is sent. */
  readonly who: number;
  readonly key: "own" | "wrong";
  /** How often the client sends it, unless it gets an answer of status 200. */
  readonly tries: number;
  /** When the client goes away: before the answer is handed over, or long after it was on its way. */
  readonly gone: "no" | "at once" | "later";
}

export type Command =
  | (Attempting & { readonly kind: "impression"; readonly session: number | undefined })
  | (Attempting & { readonly kind: "click"; readonly pick: number })
  | { readonly kind: "advance"; readonly ms: number }
  | { readonly kind: "add"; readonly rule: PlannedRule }
  | { readonly kind: "rotate"; readonly who: number }
  | { readonly kind: "remove" | "snapshot" | "restore" | "fork" | "reset" };

export const anyWorld: fc.Arbitrary<Assumptions> = anyAssumptions(
  ["dedup.repeat", "dedup.window", "click.repeat", "limit.recording-pool"],
  [],
);

const rule: fc.Arbitrary<PlannedRule> = fc.record({
  rule: arbitraryFaultRule({
    longestDelayMs: 10,
    mostTimes: 2,
    operations: ["impression", "click"],
  }),
  publisher: fc.constantFrom(undefined, undefined, 0, 1),
});
export const anyRules: fc.Arbitrary<PlannedRule[]> = fc.array(rule, { minLength: 1, maxLength: 3 });

const who = fc.nat(1);
const attempting = {
  who,
  key: fc.constantFrom("wrong", ...Array<"own">(11).fill("own")),
  tries: fc.integer({ min: 1, max: 3 }),
  gone: fc.constantFrom("no", "no", "no", "no", "at once", "later"),
} as const;

const anyCommand = fc.oneof<fc.MaybeWeightedArbitrary<Command>[]>(
  {
    weight: 22,
    arbitrary: fc.record({
      kind: fc.constant("impression"),
      ...attempting,
      session: fc.constantFrom(undefined, 0, 0, 1),
    }),
  },
  {
    weight: 10,
    arbitrary: fc.record({ kind: fc.constant("click"), ...attempting, pick: fc.nat(9) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("advance"),
      ms: fc.constantFrom(1, 60_000, 1_800_000, 86_400_000),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("add"), rule }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("rotate"), who }) },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        "remove",
        "snapshot",
        "snapshot",
        "restore",
        "restore",
        "fork",
        "reset",
      ),
    }),
  },
);

export const anyCommands: fc.Arbitrary<Command[]> = fc.array(anyCommand, {
  minLength: 1,
  maxLength: 10,
  size: "max",
});

/** The types with which defineScenario checks references: each step is typed with the names known at that step. */

import type {
  AnswerExpectation,
  Expectation,
  ExpectStep,
  Matcher,
  MatchRule,
  ParallelStep,
  Reference,
  RepeatStep,
  RequestStep,
  Scenario,
  Step,
} from "../scenario.ts";
import type { ExpectationKey, ExpectationOf, RequestKind, StepKind, StepOf } from "../step-kind.ts";
import type { AnswerNames, NamedOutput, PublisherRefOf, ReferenceTo } from "./known-types.ts";

/** `T` with every string that is a reference narrowed to the known names and paths. */
type Narrowed<T, K extends NamedOutput> = unknown extends T
  ? T
  : T extends string | number | boolean | null | undefined
    ? T
    : T extends Reference
      ? // An inlined union, so that compiler messages list its members.
        {
          readonly ref: ReferenceTo<K> extends infer Any
            ? Any extends unknown
              ? Any
              : never
            : never;
        }
      : T extends { readonly header: string; readonly of: string }
        ? { readonly header: string; readonly of: AnswerNames<K> }
        : T extends readonly unknown[]
          ? T
          : { readonly [Key in keyof T]: NarrowedMember<Key, T[Key], K> };
type NarrowedMember<Key, T, K extends NamedOutput> = Key extends "publisher"
  ? PublisherRefOf<K> | Extract<T, undefined>
  : Key extends "answer" | "retryAfterOf"
    ? AnswerNames<K> | Extract<T, undefined>
    : Key extends "of"
      ? ReferenceTo<K> extends infer Any
        ? Any extends unknown
          ? Any
          : never
        : never
      : Key extends "publishers"
        ? readonly PublisherRefOf<K>[] | Extract<T, undefined>
        : Narrowed<T, K>;
type RuleKey = MatchRule extends infer Rule ? (Rule extends unknown ? keyof Rule : never) : never;
/** The type a matcher must have, built from the given one, so that the compiler reports each wrong reference in place. */
type MatcherFor<M, K extends NamedOutput> = [Matcher] extends [M]
  ? Matcher
  : M extends string | number | boolean | null | undefined
    ? Matcher
    : M extends readonly unknown[]
      ? { readonly [Index in keyof M]: MatcherFor<M[Index], K> }
      : "ref" extends keyof M
        ? Narrowed<Reference, K>
        : "header" | "of" extends keyof M
          ? { readonly header: string; readonly of: AnswerNames<K> }
          : [keyof M] extends [RuleKey]
            ? { readonly [Key in keyof M]: RuleFor<Key, M[Key], K> }
            : { readonly [Key in keyof M]: MatcherFor<M[Key], K> };
type RuleFor<Key, Rule, K extends NamedOutput> = Key extends
  | "type"
  | "absent"
  | "contains"
  | "startsWith"
  ? Extract<MatchRule, { readonly [One in Key]: unknown }>[Key]
  : Key extends "atLeast" | "atMost" | "between" | "sum"
    ? OperandFor<Rule, K>
    : Key extends "equals"
      ? unknown
      : MatcherFor<Rule, K>;
type OperandFor<O, K extends NamedOutput> = O extends number
  ? number
  : O extends readonly unknown[]
    ? { readonly [Index in keyof O]: OperandFor<O[Index], K> }
    : "sum" extends keyof O
      ? { readonly sum: OperandFor<O["sum"], K> }
      : Narrowed<Reference, K>;
type AnswerFor<E, K extends NamedOutput> = {
  readonly [Key in keyof AnswerExpectation]: Key extends "outcome"
    ? AnswerExpectation[Key]
    : Key extends keyof E
      ? MatcherFor<E[Key], K>
      : AnswerExpectation[Key];
};
/** The `expect` of a step of another kind. */
type WithExpect<S, Kind, K extends NamedOutput> = {
  readonly expect?: S extends { readonly expect: infer E }
    ? Kind extends RequestKind
      ? AnswerFor<E, K>
      : MatcherFor<E, K>
    : Kind extends RequestKind
      ? AnswerExpectation
      : Matcher;
};

/** Steps without references. */
type PlainKind = "assume" | "fault" | "heal" | "signUp";

/** Used for a step with an unknown key, so that the compiler offers all kinds. */
type AnyStep<K extends NamedOutput> = {
  [Kind in StepKind]: Kind extends PlainKind ? StepOf<Kind> : Narrowed<StepOf<Kind>, K>;
}[StepKind];

type KindOf<S> =
  Exclude<keyof S & StepKind, "expect"> extends infer Kind extends StepKind
    ? [Kind] extends [never]
      ? keyof S & "expect"
      : Kind
    : never;

/** The type this step must have, given what is known at that point. */
type StepFor<S, K extends NamedOutput> = NewName<S, K> &
  ([KindOf<S>] extends [never]
    ? AnyStep<K>
    : IsUnion<KindOf<S>> extends true
      ? "has keys of two kinds: make a step of each"
      : StepOfKind<KindOf<S>, S, K>);
type IsUnion<T, All = T> = T extends unknown ? ([All] extends [T] ? false : true) : never;
type StepOfKind<Kind extends StepKind, S, K extends NamedOutput> = Kind extends PlainKind
  ? StepOf<Kind>
  : Kind extends "repeat"
    ? Omit<RepeatStep, "repeat" | "expect"> &
        WithExpect<S, Kind, K> & {
          readonly repeat: Omit<RepeatStep["repeat"], "steps"> & {
            readonly steps: CheckedSteps<StepsIn<S>, K>;
          };
        }
    : Kind extends "parallel"
      ? Omit<ParallelStep, "parallel" | "expect"> &
          WithExpect<S, Kind, K> & {
            readonly parallel: Omit<ParallelStep["parallel"], "steps"> & {
              readonly steps: TogetherWith<StepsIn<S>, K>;
            };
          }
      : Kind extends "expect"
        ? Omit<ExpectStep, "expect"> & {
            readonly expect: S extends { readonly expect: infer E }
              ? ExpectationFor<E, K>
              : Expectation;
          }
        : Kind extends RequestKind | "traffic"
          ? Narrowed<Omit<StepOf<Kind>, "expect">, K> & WithExpect<S, Kind, K>
          : Narrowed<StepOf<Kind>, K>;
type NewName<S, K extends NamedOutput> = S extends { readonly as: infer Name extends string }
  ? string extends K[0]
    ? unknown
    : Name extends K[0]
      ? { readonly as: "must be another: an earlier step has this name" }
      : unknown
  : unknown;

type StepsIn<S> = S extends { readonly repeat: { readonly steps: infer Inner } }
  ? Inner
  : S extends { readonly parallel: { readonly steps: infer Inner } }
    ? Inner
    : readonly [];

/** Checks each step against the outputs of the steps before it. A list that isn't a tuple can't be checked. */
type CheckedSteps<
  Steps,
  K extends NamedOutput,
  Done extends readonly unknown[] = readonly [],
> = Steps extends readonly [infer Head, ...infer Tail]
  ? CheckedSteps<Tail, K | NamesOf<Head>, readonly [...Done, StepFor<Head, K>]>
  : Steps extends readonly []
    ? Done
    : readonly [...Done, ...Step[]];
/** Requests that are sent together, so none can refer to another's answer. */
type TogetherWith<Steps, K extends NamedOutput> = Steps extends readonly [unknown, ...unknown[]]
  ? { readonly [Index in keyof Steps]: StepFor<Steps[Index], K> }
  : readonly RequestStep[];

/** The names that a step, with its inner steps, adds for later steps. */
type NamesOf<S> =
  | ("as" extends keyof S ? NameOf<Exclude<S["as"], undefined>, S> : never)
  | NamesIn<StepsIn<S>>;
type NameOf<Name, S> = Name extends string
  ? readonly [Name, string extends Name ? "unknown" : OutputKindOf<KindOf<S>>]
  : never;
type NamesIn<Steps, Found extends NamedOutput = never> = Steps extends readonly [
  infer Head,
  ...infer Tail,
]
  ? NamesIn<Tail, Found | NamesOf<Head>>
  : Steps extends readonly []
    ? Found
    : Found | readonly [string, "unknown"];
type OutputKindOf<Kind> = Kind extends RequestKind
  ? Kind
  : Kind extends "traffic" | "repeat" | "parallel"
    ? "tally"
    : Kind extends "signUp"
      ? "publisher"
      : Kind extends "rotateKey"
        ? "keys"
        : "nothing";

type ExpectationFor<E, K extends NamedOutput> = [keyof E & ExpectationKey] extends [never]
  ? AnswerFor<E, K> & { readonly answer?: AnswerNames<K> }
  : {
      readonly [Key in keyof ExpectationOf<keyof E & ExpectationKey>]: Key extends "is" | "audit"
        ? Key extends keyof E
          ? MatcherFor<E[Key], K>
          : Matcher
        : NarrowedMember<Key, ExpectationOf<keyof E & ExpectationKey>[Key], K>;
    };

/** The type a scenario must have for all its references to resolve. */
export type Checked<S extends Scenario> = Omit<Scenario, "steps" | "expectations"> & {
  readonly steps: CheckedSteps<S["steps"], never>;
  readonly expectations?:
    | (S extends { readonly expectations: infer E extends readonly unknown[] }
        ? {
            readonly [Index in keyof E]: ExpectationFor<E[Index], NamesIn<S["steps"]>>;
          }
        : readonly Expectation[])
    | undefined;
};

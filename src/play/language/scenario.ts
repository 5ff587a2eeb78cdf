/** A scenario as people write it: data only, in TypeScript or as JSON. What its words mean is docs/scenarios.md. */

import type { Duration } from "../../base/duration.ts";
import type { FaultRule } from "../../faults/rule.ts";
import type { RequestOutcome } from "../../laws/client-exchange.ts";
import type { Readings } from "../../simulator/simulator-options.ts";
import type { SignUpRequest } from "../../world/accounts/publisher-directory.ts";
import type { Profile } from "../../world/publishers/profiles.ts";
import type { Traffic } from "../traffic/traffic.ts";

/** What happens, in which order, and what must come of it. */
export interface Scenario {
  readonly $schema?: string | undefined;
  /** Letters, digits and hyphens. */
  readonly name: string;
  /** What a client must survive, in a sentence or two. Lists show the first. */
  readonly about: string;
  /** @default "adsim" */
  readonly seed?: string | undefined;
  /** The first instant, in ISO 8601. @default "2026-01-15T00:00:00Z" */
  readonly start?: string | undefined;
  /** How many seeded publishers there are. @default 25 */
  readonly publishers?: number | undefined;
  /** @default "typical" */
  readonly profile?: Profile | undefined;
  /** Readings of the spec's open points from the start. @default the catalogue's */
  readonly assumptions?: Readings | undefined;
  /** Fault rules from the start. @default none */
  readonly faults?: readonly FaultRule[] | undefined;
  readonly steps: readonly Step[];
  /** What must hold after the last step. */
  readonly expectations?: readonly Expectation[] | undefined;
  /** Bounds of the whole run, such as "p99 < 50ms", "errors < 0.1%", "invariants = 0". */
  readonly thresholds?: readonly string[] | undefined;
}

/** One thing that happens: the key says what. */
export type Step =
  | RequestStep
  | AdvanceStep
  | TrafficStep
  | AssumeStep
  | FaultStep
  | HealStep
  | SignUpStep
  | SetSurfaceStep
  | RotateKeyStep
  | ExpectStep
  | RepeatStep
  | ParallelStep;

/** What every step may have. */
interface StepLabel {
  /** What later steps call the answer or the tally. A letter, then letters, digits, `_` and `-`. */
  readonly as?: string | undefined;
  /** Why it is there, for the reader and the report. */
  readonly note?: string | undefined;
}

/** A publisher: its ordinal in the population, or the name of the step that signed it up. */
export type PublisherRef = number | string;

/** An answer's member by path (`first.impression_id`), a publisher's (`publishers.1.id`), or a count of a tally. */
export interface Reference {
  readonly ref: string;
}

/** A value in a request. */
export type Value = string | number | boolean | null | Reference | HeaderOf | Numbered;

/** A header of an earlier answer. */
export interface HeaderOf {
  readonly header: string;
  readonly of: string;
}

/** The text followed by the number of the round of the innermost repeat or parallel, from 1. */
export interface Numbered {
  readonly numbered: string;
}

interface RequestStepBase extends StepLabel {
  /** Whose key is sent, and who is meant where the parameters don't say. @default 0 */
  readonly publisher?: PublisherRef | undefined;
  /** Another key than the publisher's; null sends none. */
  readonly key?: Value | undefined;
  /** How the parameters of a POST are sent. @default "json" */
  readonly encoding?: "json" | "form" | "query" | undefined;
  readonly headers?: Readonly<Record<string, Value>> | undefined;
  /** When the client gives up, counted from the request. @default "10s" */
  readonly timeout?: Duration | undefined;
  readonly expect?: AnswerExpectation | undefined;
}

/** Parameters of an operation. What the spec requires and isn't given is the publisher's own: id, first surface, "ad-1". */
export interface RequestStep extends RequestStepBase {
  readonly impression?:
    | {
        readonly publisher_id?: Value | undefined;
        readonly surface?: Value | undefined;
        readonly ad_id?: Value | undefined;
        readonly session_id?: Value | undefined;
      }
    | undefined;
  readonly click?: { readonly impression_id: Value } | undefined;
  readonly stats?: StatsParameters | undefined;
  readonly surfaces?: { readonly publisher_id?: Value | undefined } | undefined;
  readonly payouts?: PayoutsParameters | undefined;
  /** A request as it is, with nothing filled in but the key. */
  readonly raw?: RawRequest | undefined;
}

export interface StatsParameters {
  readonly publisher_id?: Value | undefined;
  readonly from?: Value | undefined;
  readonly to?: Value | undefined;
  readonly surface?: Value | undefined;
}

export interface PayoutsParameters {
  readonly publisher_id?: Value | undefined;
  readonly limit?: Value | undefined;
}

export interface RawRequest {
  readonly method: string;
  /** From the slash on, percent-encoding as it is. */
  readonly path: string;
  readonly query?: string | Readonly<Record<string, Value>> | undefined;
  /** Text as it is, or an object that is sent as JSON. */
  readonly body?: string | Readonly<Record<string, Value>> | undefined;
}

/** Lets the world's time pass. */
export interface AdvanceStep extends StepLabel {
  readonly advance:
    | Duration
    /** To this instant, in ISO 8601. Never back. */
    | { readonly to: string }
    /** As long as the Retry-After of this answer says, seconds or date; by `less` shorter, by `more` longer. */
    | {
        readonly retryAfterOf: string;
        readonly less?: Duration | undefined;
        readonly more?: Duration | undefined;
      };
}

export interface TrafficStep extends StepLabel {
  readonly traffic: Traffic;
  readonly expect?: Matcher | undefined;
}

/** Other readings of open points from now on. */
export interface AssumeStep extends StepLabel {
  readonly assume: Readings;
}

export interface FaultStep extends StepLabel {
  readonly fault: FaultRule;
}

/** Takes rules away: this one, these, or all. */
export interface HealStep extends StepLabel {
  readonly heal: "all" | string | readonly string[];
}

/** The name of the step is then the publisher's. */
export interface SignUpStep extends StepLabel {
  readonly signUp: SignUpRequest;
}

export interface SetSurfaceStep extends StepLabel {
  readonly setSurface: {
    /** @default 0 */
    readonly publisher?: PublisherRef | undefined;
    /** Place among the publisher's surfaces. @default 0 */
    readonly surface?: number | undefined;
    readonly status?: string | undefined;
    readonly cpmRange?: readonly [number, number] | undefined;
  };
}

/** Gives `NAME.apiKey`, the new key, and `NAME.oldKey`. */
export interface RotateKeyStep extends StepLabel {
  readonly rotateKey: { readonly publisher?: PublisherRef | undefined };
}

export interface ExpectStep extends StepLabel {
  readonly expect: Expectation;
}

export interface RepeatStep extends StepLabel {
  readonly repeat: {
    readonly times: number;
    /** How much time passes after each round. @default none */
    readonly every?: Duration | undefined;
    readonly steps: readonly Step[];
  };
  /** Of the tally over all its requests. */
  readonly expect?: Matcher | undefined;
}

/** Requests at one instant. In real time all are on their way at once, in virtual time they arrive in this order. */
export interface ParallelStep extends StepLabel {
  readonly parallel: {
    /** @default 1 */
    readonly times?: number | undefined;
    readonly steps: readonly RequestStep[];
  };
  /** Of the tally over all its requests. */
  readonly expect?: Matcher | undefined;
}

/** What an answer must be. */
export interface AnswerExpectation {
  /** @default "answered", where anything else is expected of the answer */
  readonly outcome?: RequestOutcome | readonly RequestOutcome[] | undefined;
  readonly status?: StatusMatcher | undefined;
  /** By name, in lower case. */
  readonly headers?: Readonly<Record<string, Matcher>> | undefined;
  /** Of the body as JSON. */
  readonly body?: Matcher | undefined;
  /** Of the body as it came. */
  readonly text?: Matcher | undefined;
}

export type Expectation =
  /** Of an earlier answer. @default the last one */
  | (AnswerExpectation & { readonly answer?: string | undefined })
  /** Of what an earlier step gave: an answer's body, a tally, a publisher; or a part of it, by path. */
  | { readonly of: string; readonly is: Matcher }
  /** What the service reports, asked aside: it spends no quota of the world. */
  | (ReportExpectation & { readonly stats: StatsParameters })
  | (ReportExpectation & { readonly surfaces: Record<string, never> })
  | (ReportExpectation & { readonly payouts: PayoutsParameters })
  /** Of what GET /_sim/audit tells. */
  | { readonly audit: Matcher }
  /** One of the invariants by its id, or all of them. */
  | { readonly invariant: string };

interface ReportExpectation {
  readonly publisher?: PublisherRef | undefined;
  readonly is: Matcher;
}

/**
 * What a value must be. A plain value: the same. An object: these members, whatever others there are. A list: the same
 * length, each in turn. Or a rule: an object whose only key is one of those below.
 */
export type Matcher =
  | Value
  | { readonly [member: string]: Matcher }
  | readonly Matcher[]
  | MatchRule;

export type MatchRule =
  | { readonly atLeast: Operand }
  | { readonly atMost: Operand }
  | { readonly between: readonly [Operand, Operand] }
  | { readonly oneOf: readonly Matcher[] }
  | { readonly not: Matcher }
  | { readonly type: "string" | "integer" | "number" | "boolean" | "null" | "array" | "object" }
  | { readonly contains: string }
  | { readonly startsWith: string }
  /** Of a text, in UTF-16 units, or of a list. */
  | { readonly length: Matcher }
  /** Every element of a list; nothing is known of an empty one. */
  | { readonly every: Matcher }
  | { readonly some: Matcher }
  | { readonly absent: true }
  /** Exactly, to the micro. */
  | { readonly sum: readonly Operand[] }
  /** Literally, even if it looks like a rule. */
  | { readonly equals: unknown };

/** What a status must be: one, or a rule that numbers can keep. */
export type StatusMatcher =
  | number
  | Reference
  | Extract<
      MatchRule,
      | { atLeast: unknown }
      | { atMost: unknown }
      | { between: unknown }
      | { sum: unknown }
      | { type: unknown }
    >
  | { readonly oneOf: readonly StatusMatcher[] }
  | { readonly not: StatusMatcher }
  | { readonly equals: number };

export type Operand = number | Reference | { readonly sum: readonly Operand[] };

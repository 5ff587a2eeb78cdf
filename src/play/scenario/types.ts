/** A scenario as people write it: data only, in TypeScript or as JSON. docs/scenarios.md explains each key. */

import type { Duration } from "../../base/duration.ts";
import type { FaultRule } from "../../faults/rule.ts";
import type { RequestOutcome } from "../../invariants/client-exchange.ts";
import type { Choices } from "../../simulator/simulator-options.ts";
import type { SignUpRequest } from "../../world/accounts/publisher-directory.ts";
import type { Profile } from "../../world/publishers/profiles.ts";
import type { Traffic } from "../traffic/traffic.ts";

/** What happens, in which order, and what is expected. */
export interface Scenario {
  readonly $schema?: string | undefined;
  /** Letters, digits and hyphens. */
  readonly name: string;
  /** What a client must survive, in a sentence or two. Lists show the first sentence. */
  readonly about: string;
  /** @default "adsim" */
  readonly seed?: string | undefined;
  /** When the clock starts, in ISO 8601. @default "2026-01-15T00:00:00Z" */
  readonly start?: string | undefined;
  /** Number of seeded publishers. @default 25 */
  readonly publishers?: number | undefined;
  /** @default "typical" */
  readonly profile?: Profile | undefined;
  /** Choices for assumptions, in force from the start. @default the catalogue's */
  readonly assumptions?: Choices | undefined;
  /** Fault rules from the start. @default none */
  readonly faults?: readonly FaultRule[] | undefined;
  readonly steps: readonly Step[];
  /** What must hold after the last step. */
  readonly expectations?: readonly Expectation[] | undefined;
  /** Bounds for the whole run, such as "p99 < 50ms", "errors < 0.1%", "invariants = 0". */
  readonly thresholds?: readonly string[] | undefined;
  /** `failed`: it shows a defect. Then it passes if something fails, and fails if nothing does. @default "passed" */
  readonly result?: "passed" | "failed" | undefined;
}

/** One thing that happens. The key says what. */
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

/** The keys that every step may have. */
interface StepLabel {
  /** The name by which later steps refer to the output. A letter, then letters, digits, `_` and `-`. */
  readonly as?: string | undefined;
  /** Why the step is here, for readers and reports. */
  readonly note?: string | undefined;
}

/** A publisher's ordinal in the population, or the name of the step that signed it up. */
export type PublisherRef = number | string;

/** A path into a step's output (`first.impression_id`, `burst.sent`) or a publisher (`publishers.1.id`). */
export interface Reference {
  readonly ref: string;
}

/** A value in a request. */
export type Value = string | number | boolean | null | Reference | HeaderOf | Numbered | DaysAgo;

/** A header of an earlier answer. */
export interface HeaderOf {
  readonly header: string;
  readonly of: string;
}

/** The text followed by the round number, from 1, of the innermost repeat or parallel. */
export interface Numbered {
  readonly numbered: string;
}

/** A date, counted in UTC days from the target's today. */
export interface DaysAgo {
  readonly daysAgo: number;
}

/** Parameters of an operation. Missing required ones are filled in: the publisher's id, its first surface, "ad-1". */
export interface RequestStep extends StepLabel {
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
  /** Sent as written. Only the key is filled in. */
  readonly raw?: RawRequest | undefined;
  /** Supplies the key, and the parameters that the step leaves out. @default 0 */
  readonly publisher?: PublisherRef | undefined;
  /** A key to send instead of the publisher's. Null sends none. */
  readonly key?: Value | undefined;
  /** How the parameters of a POST are sent. @default "json" */
  readonly encoding?: "json" | "form" | "query" | undefined;
  readonly headers?: Readonly<Record<string, Value>> | undefined;
  /** How long the client waits for the answer before it gives up. @default "10s" */
  readonly timeout?: Duration | undefined;
  readonly expect?: AnswerExpectation | undefined;
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
  /** Starts with a slash. Percent-encoding is sent as written. */
  readonly path: string;
  readonly query?: string | Readonly<Record<string, Value>> | undefined;
  /** Text is sent as written, an object as JSON. */
  readonly body?: string | Readonly<Record<string, Value>> | undefined;
}

/** Advances the world's clock. */
export interface AdvanceStep extends StepLabel {
  readonly advance:
    | Duration
    /** To this instant, in ISO 8601. It can't be in the past. */
    | { readonly to: string }
    /** Until the Retry-After of this answer (seconds or a date) is over, minus `less`, plus `more`. */
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

/** Changes assumptions from now on. */
export interface AssumeStep extends StepLabel {
  readonly assume: Choices;
}

export interface FaultStep extends StepLabel {
  readonly fault: FaultRule;
}

/** Removes fault rules by id, or all of them. */
export interface HealStep extends StepLabel {
  readonly heal: "all" | string | readonly string[];
}

/** Later steps refer to the new publisher by this step's name. */
export interface SignUpStep extends StepLabel {
  readonly signUp: SignUpRequest;
}

export interface SetSurfaceStep extends StepLabel {
  readonly setSurface: {
    /** @default 0 */
    readonly publisher?: PublisherRef | undefined;
    /** Index among the publisher's surfaces. @default 0 */
    readonly surface?: number | undefined;
    readonly status?: string | undefined;
    readonly cpmRange?: readonly [number, number] | undefined;
  };
}

/** Outputs the new key as `NAME.apiKey` and the old one as `NAME.oldKey`. */
export interface RotateKeyStep extends StepLabel {
  readonly rotateKey: { readonly publisher?: PublisherRef | undefined };
}

export interface ExpectStep extends StepLabel {
  readonly expect: Expectation;
}

export interface RepeatStep extends StepLabel {
  readonly repeat: {
    readonly times: number;
    /** Time to wait after each round. @default none */
    readonly every?: Duration | undefined;
    readonly steps: readonly Step[];
  };
  /** Checked against the tally of all its requests. */
  readonly expect?: Matcher | undefined;
}

/** Requests at one instant. In real time they are sent concurrently; in virtual time they arrive in this order. */
export interface ParallelStep extends StepLabel {
  readonly parallel: {
    /** @default 1 */
    readonly times?: number | undefined;
    readonly steps: readonly RequestStep[];
  };
  /** Checked against the tally of all its requests. */
  readonly expect?: Matcher | undefined;
}

/** What an answer must look like. */
export interface AnswerExpectation {
  /** @default "answered", if anything else about the answer is expected */
  readonly outcome?: RequestOutcome | readonly RequestOutcome[] | undefined;
  readonly status?: StatusMatcher | undefined;
  /** By lower-case name. */
  readonly headers?: Readonly<Record<string, Matcher>> | undefined;
  /** Matches the body parsed as JSON. */
  readonly body?: Matcher | undefined;
  /** Matches the body as received. */
  readonly text?: Matcher | undefined;
}

export type Expectation =
  /** About an earlier answer. @default the last one */
  | (AnswerExpectation & { readonly answer?: string | undefined })
  /** About an earlier step's output (an answer's body, a tally, a publisher), or a part of it by path. */
  | { readonly of: string; readonly is: Matcher }
  /** About what the service reports. A scratch copy is asked, so the world's quota isn't spent. */
  | (ReportExpectation & { readonly stats: StatsParameters })
  | (ReportExpectation & { readonly surfaces: Record<string, never> })
  | (ReportExpectation & { readonly payouts: PayoutsParameters })
  /** About the answer of GET /_sim/audit. */
  | { readonly audit: Matcher }
  /** An invariant's id, or "all". */
  | { readonly invariant: string };

interface ReportExpectation {
  readonly publisher?: PublisherRef | undefined;
  readonly is: Matcher;
}

/**
 * What a value must look like. A plain value must be equal. An object must have these members; others are ignored. A list
 * must have the same length and match element by element. A rule is an object whose only key is one of those below.
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
  /** The length of a text, in UTF-16 units, or of a list. */
  | { readonly length: Matcher }
  /** Every element of a list must match. An empty list gives the result `unknown`. */
  | { readonly every: Matcher }
  | { readonly some: Matcher }
  | { readonly absent: true }
  /** Equal to this sum, exact to the micro-INR. */
  | { readonly sum: readonly Operand[] }
  /** Equal to this literally, even if it looks like a rule. */
  | { readonly equals: unknown };

/** What a status must be: a number, or a rule that fits numbers. */
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

/**
 * A scenario as people write it, in TypeScript or as JSON, and the only definition of it: `npm run docs` turns this file into
 * docs/scenario.schema.json, by which walk.ts checks scenarios. In errors the first sentence on a type of texts or numbers
 * follows "must be". What a schema can't say stands in meanings.ts, by the type's name.
 * docs/reference/scenario-format.md explains each key.
 */

import type { Duration } from "../../base/duration.ts";
import type { FaultRule } from "../../faults/rule.ts";
import type { RequestOutcome } from "../../invariants/client-exchange.ts";
import type { Choices } from "../../simulator/simulator-options.ts";
import type { SignUpRequest } from "../../world/accounts/publisher-directory.ts";
import type { Profile } from "../../world/publishers/profiles.ts";
import type { Patience, Traffic } from "../traffic/traffic.ts";

/** What happens, in which order, and what is expected. */
export interface Scenario {
  /** The URL of this schema, for editors. */
  readonly $schema?: string | undefined;
  readonly name: ScenarioName;
  /** What a client must survive, in a sentence or two. Lists show the first sentence. */
  readonly about: Prose;
  /** Seed of the world's random draws. @default "adsim" */
  readonly seed?: string | undefined;
  /** When the clock starts. @default "2026-01-15T00:00:00Z" */
  readonly start?: string | undefined;
  /** Number of seeded publishers. @asType integer @minimum 1 @maximum 1000000 @default 25 */
  readonly publishers?: number | undefined;
  /** What the publishers' history is like. @default "typical" */
  readonly profile?: Profile | undefined;
  /** Choices for assumptions, in force from the start. */
  readonly assumptions?: Choices | undefined;
  /** Fault rules from the start. @maxItems 1000 */
  readonly faults?: readonly FaultRule[] | undefined;
  /** What happens, in order. @minItems 1 */
  readonly steps: readonly Step[];
  /** What must be true after the last step. */
  readonly expectations?: readonly Expectation[] | undefined;
  /** Bounds for the whole run. @maxItems 20 */
  readonly thresholds?: readonly ThresholdText[] | undefined;
  /** `failed`: it shows a defect. Then it passes if something fails, and fails if nothing does. @default "passed" */
  readonly result?: "passed" | "failed" | undefined;
}

/** Letters and digits, with single hyphens between them. @maxLength 64 @pattern ^[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*$ */
type ScenarioName = string;

/** A text of 1 to 10,000 characters. @minLength 1 @maxLength 10000 */
type Prose = string;

/** A bound for the whole run, such as "p99 < 50ms", "errors < 0.1%" or "invariants = 0". */
type ThresholdText = string;

/** An instant in ISO 8601, such as "2026-03-01T00:00:00Z". */
type Instant = string;

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
  | RepeatStep
  | ParallelStep
  | ExpectStep;

/** The keys that every step may have. */
interface StepLabel {
  /** The name by which later steps refer to the output. */
  readonly as?: NewName | undefined;
  /** Why the step is here, for readers and reports. */
  readonly note?: Prose | undefined;
}

/** A letter, then at most 63 letters, digits, underscores and hyphens, and not "publishers". @pattern ^(?!publishers$)[A-Za-z][A-Za-z0-9_-]{0,63}$ */
type NewName = string;

/** The name of an earlier request. @maxLength 64 */
type AnswerName = string;

/** A publisher's ordinal in the population, or the name of the step that signed it up. @minimum 0 @multipleOf 1 */
export type PublisherRef = number | string;

/** A path into the output of an earlier step (`first.impression_id`, `burst.sent`) or a publisher (`publishers.1.id`). @maxLength 500 */
type Path = string;

export interface Reference {
  readonly ref: Path;
}

/** A text, a number, true, false, null, or one of { "ref": "NAME.path" }, { "header": "name", "of": "NAME" }, { "numbered": "text" }, { "daysAgo": 1 }. */
export type Value = string | number | boolean | null | Indirect;
export type Indirect = Reference | HeaderOf | Numbered | DaysAgo;

/** A header of an earlier answer. */
export interface HeaderOf {
  readonly header: HeaderName;
  readonly of: AnswerName;
}

/** A header's name in lower case. @pattern ^[!#$%&'*+.^_`|~0-9a-z-]{1,100}$ */
type HeaderName = string;

/** The text followed by the round number, from 1, of the innermost repeat or parallel. */
export interface Numbered {
  /** @maxLength 1000 */
  readonly numbered: string;
}

/** A date, counted in UTC days from the target's today. */
export interface DaysAgo {
  /** @asType integer @minimum 0 @maximum 36525 */
  readonly daysAgo: number;
}

type Values = { readonly [name: string]: Value };

/** @propertyNames {description: "A header's name.", pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$"} */
type Headers = { readonly [name: string]: Value };

/**
 * A request, of one operation or raw. Missing parameters are filled in: the publisher's id, its first surface, "ad-1".
 * @exactlyOne [{required: ["impression"]}, {required: ["click"]}, {required: ["stats"]}, {required: ["surfaces"]},
 * {required: ["payouts"]}, {required: ["raw"]}]
 */
export interface RequestStep extends StepLabel {
  readonly impression?: Some<"publisher_id" | "surface" | "ad_id" | "session_id"> | undefined;
  readonly click?: { readonly impression_id: Value } | undefined;
  readonly stats?: StatsParameters | undefined;
  readonly surfaces?: Some<"publisher_id"> | undefined;
  readonly payouts?: PayoutsParameters | undefined;
  readonly raw?: RawRequest | undefined;
  /** Supplies the key, and the parameters that the step leaves out. @default 0 */
  readonly publisher?: PublisherRef | undefined;
  /** A key to send instead of the publisher's. Null sends none. */
  readonly key?: Value | undefined;
  /** How the parameters of a POST are sent. @default "json" */
  readonly encoding?: "json" | "form" | "query" | undefined;
  readonly headers?: Headers | undefined;
  /** How long the client waits for the answer before it gives up. @default "10s" */
  readonly timeout?: Patience | undefined;
  /** What the answer must look like. */
  readonly expect?: AnswerExpectation | undefined;
}

/** Parameters that may be left out. */
type Some<Name extends string> = { readonly [Each in Name]?: Value | undefined };

export type StatsParameters = Some<"publisher_id" | "from" | "to" | "surface">;
export type PayoutsParameters = Some<"publisher_id" | "limit">;

/** Sent as written. Only the key is filled in. */
export interface RawRequest {
  readonly method: Method;
  readonly path: RawPath;
  readonly query?: RawQuery | Values | undefined;
  /** Text is sent as written, an object as JSON. */
  readonly body?: string | Values | undefined;
}

/** An HTTP method such as GET, but not CONNECT. @pattern ^(?![Cc][Oo][Nn]{2}[Ee][Cc][Tt]$)[!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}$ */
type Method = string;

/** Printable ASCII that begins with a slash, without spaces and #: percent-encode the rest. @maxLength 16000 @pattern ^/[!-"$-~]*$ */
type RawPath = string;

/** Printable ASCII without spaces and #: percent-encode the rest. @maxLength 16000 @pattern ^[!-"$-~]*$ */
type RawQuery = string;

export interface AdvanceStep extends StepLabel {
  /** Advances the world's clock. */
  readonly advance:
    | Duration
    /** To this instant. It can't be in the past. */
    | { readonly to: Instant }
    /** Until the Retry-After of this answer (seconds or a date) is over, minus `less`, plus `more`. */
    | {
        readonly retryAfterOf: AnswerName;
        readonly less?: Duration | undefined;
        readonly more?: Duration | undefined;
      };
}

export interface TrafficStep extends StepLabel {
  /** Sends many requests on a schedule. */
  readonly traffic: Traffic;
  readonly expect?: TallyMatcher | undefined;
}

export interface AssumeStep extends StepLabel {
  /** Changes assumptions from now on. */
  readonly assume: Choices;
}

export interface FaultStep extends StepLabel {
  /** Installs a fault rule. */
  readonly fault: FaultRule;
}

export interface HealStep extends StepLabel {
  /** Removes fault rules by id, or all of them ("all"). */
  readonly heal: RuleId | readonly RuleId[];
}

/** A rule's id, or "all". @pattern ^[A-Za-z0-9._-]{1,64}$ */
type RuleId = string;

/** Later steps refer to the new publisher by this step's name. */
export interface SignUpStep extends StepLabel {
  /** Adds a publisher. */
  readonly signUp: SignUpRequest;
}

export interface SetSurfaceStep extends StepLabel {
  readonly setSurface: SetSurface;
}

/** Changes a surface. */
interface SetSurface {
  /** @default 0 */
  readonly publisher?: PublisherRef | undefined;
  /** Index among the publisher's surfaces. @asType integer @minimum 0 @default 0 */
  readonly surface?: number | undefined;
  readonly status?: string | undefined;
  readonly cpmRange?: readonly [number, number] | undefined;
}

/** Outputs the new key as `NAME.apiKey` and the old one as `NAME.oldKey`. */
export interface RotateKeyStep extends StepLabel {
  /** Gives the publisher a new key. */
  readonly rotateKey: { readonly publisher?: PublisherRef | undefined };
}

export interface RepeatStep extends StepLabel {
  /** Plays steps several times. */
  readonly repeat: {
    /** @asType integer @minimum 1 */
    readonly times: number;
    /** Time to wait after each round. @default "0s" */
    readonly every?: Duration | undefined;
    /** @minItems 1 */
    readonly steps: readonly Step[];
  };
  readonly expect?: TallyMatcher | undefined;
}

export interface ParallelStep extends StepLabel {
  readonly parallel: Parallel;
  readonly expect?: TallyMatcher | undefined;
}

/** Requests at one instant. In real time they are sent concurrently; in virtual time they arrive in this order. */
interface Parallel {
  /** All requests are in memory at once. @asType integer @minimum 1 @maximum 100000 @default 1 */
  readonly times?: number | undefined;
  /** @minItems 1 */
  readonly steps: readonly RequestStep[];
}

export interface ExpectStep extends StepLabel {
  /** What must be true at this point. */
  readonly expect: Expectation;
}

/** What an answer must look like. @minProperties 1 */
export interface AnswerExpectation {
  /** @default "answered" */
  readonly outcome?: RequestOutcome | readonly RequestOutcome[] | undefined;
  readonly status?: StatusMatcher | undefined;
  /** By lower-case name. */
  readonly headers?: HeaderMatchers | undefined;
  /** Matches the body parsed as JSON. */
  readonly body?: Matcher | undefined;
  /** Matches the body as received. */
  readonly text?: PlainMatcher | undefined;
}

/** @propertyNames {description: "A header's name in lower case.", pattern: "^[!#$%&'*+.^_`|~0-9a-z-]{1,100}$"} */
type HeaderMatchers = { readonly [name: string]: PlainMatcher };

export type Expectation =
  /** About an earlier answer. @default the last one */
  | (AnswerExpectation & { readonly answer?: AnswerName | undefined })
  /** About an earlier step's output (an answer's body, a tally, a publisher), or a part of it by path. */
  | { readonly of: Path; readonly is: Matcher }
  /** About what the service reports. A copy is asked, so the world's quota isn't spent. */
  | ({ readonly stats: StatsParameters } & ReportExpectation)
  | ({ readonly surfaces: Record<string, never> } & ReportExpectation)
  | ({ readonly payouts: PayoutsParameters } & ReportExpectation)
  /** About the answer of GET /_sim/audit. */
  | { readonly audit: Matcher }
  | { readonly invariant: InvariantId };

interface ReportExpectation {
  readonly publisher?: PublisherRef | undefined;
  readonly is: Matcher;
}

/** An invariant's id, or "all". */
type InvariantId = string;

/** Matches the tally of all requests of the step. */
type TallyMatcher = Matcher;

/**
 * What a value must look like. A plain value must be equal. An object must have these members; others are ignored. A list
 * must have the same length and match element by element. A rule is an object whose only key is one of those below.
 */
export type Matcher = Value | Members | readonly Matcher[] | MatchRule;

/**
 * Members of an object.
 * @not {type: "object", minProperties: 1, maxProperties: 1, propertyNames: {enum: ["ref", "numbered", "daysAgo", "atLeast", "atMost", "between",
 * "oneOf", "not", "type", "contains", "startsWith", "length", "every", "some", "absent", "sum", "equals"]}}
 */
interface Members {
  readonly [member: string]: Matcher;
}

/** A value or a rule with one key. */
export type PlainMatcher = Value | MatchRule;

export type MatchRule =
  | NumberRule
  | { readonly oneOf: readonly Matcher[] }
  | { readonly not: Matcher }
  | { readonly contains: Prose }
  | { readonly startsWith: Prose }
  /** The length of a text, in UTF-16 units, or of a list. */
  | { readonly length: PlainMatcher }
  /** Every element of a list must match. An empty list gives the result `undecided`. */
  | { readonly every: Matcher }
  | { readonly some: Matcher }
  | { readonly absent: True }
  /** Equal to this literally, even if it looks like a rule. */
  | { readonly equals: unknown };

type NumberRule =
  | { readonly atLeast: Operand }
  | { readonly atMost: Operand }
  | { readonly between: Bounds }
  | { readonly type: "string" | "integer" | "number" | "boolean" | "null" | "array" | "object" }
  /** Equal to this sum, exact to the micro-INR. */
  | { readonly sum: readonly Operand[] };

/** True. To expect a value to exist, use { "not": { "absent": true } }. */
type True = true;

/** A pair [least, most], the lower bound first. */
type Bounds = readonly [Operand, Operand];

/** A number from 100 to 599, such as 200, or a rule with one key for numbers. */
export type StatusMatcher =
  | Status
  | Reference
  | NumberRule
  | { readonly oneOf: readonly StatusMatcher[] }
  | { readonly not: StatusMatcher }
  | { readonly equals: Status };

/** A number from 100 to 599. @asType integer @minimum 100 @maximum 599 */
type Status = number;

/** A number, { "ref": "NAME.path" }, or { "sum": [...] } of these. */
export type Operand = number | Reference | { readonly sum: readonly Operand[] };

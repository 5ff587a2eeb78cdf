/** What playing a scenario came to. It is JSON as it stands: the report in JSON is this. */

import type { JournalEntry } from "../../journal/entry.ts";
import type { RequestOutcome } from "../../laws/client-exchange.ts";
import type { LawVerdict } from "../../laws/law.ts";
import type { OperationId } from "../../spec/operations.ts";

import type { StepKind } from "../language/step-kind.ts";
import type { LatencySummary } from "../measure/latencies.ts";
import type { TallySummary } from "../measure/tally.ts";
import type { ThresholdResult } from "../measure/thresholds.ts";
import type { TimelineSummary } from "../measure/timeline.ts";

/**
 * Whether what was expected came true. `unknown`: what it is about never happened, or the target couldn't do it: not
 * known to be broken, and not known to hold.
 */
export type Verdict = LawVerdict;

/** One expectation and what was found. */
export interface Check {
  readonly verdict: Verdict;
  /** What it is about, such as `status` or `body.revenue_inr`. */
  readonly about: string;
  /** In words or JSON. */
  readonly expected: string;
  readonly found: string;
  /** Why nothing is known. */
  readonly why?: string | undefined;
}

/** A request and its answer, fit to be shown: keys are redacted, long bodies shortened. */
export interface ShownExchange {
  readonly operation: OperationId | undefined;
  /** ISO 8601, on the target's clock. */
  readonly at: string;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly query: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  };
  readonly outcome: RequestOutcome;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly latencyMs: number;
  /** Why there is no whole answer, where the target tells: what the connection broke with, or that the body is too long. */
  readonly why?: string | undefined;
}

export interface StepResult {
  /** Where it stands, such as `steps.3` or `steps.2.repeat.steps.0`; expectations at the end are `expectations.0`. */
  readonly path: string;
  readonly kind: StepKind;
  /** In a few words, such as `impression as first`. */
  readonly title: string;
  /** ISO 8601, on the target's clock, when it began. */
  readonly at: string;
  /** Of a repeated step how often it was played; its checks are those of the first round that isn't held, or the last. */
  readonly times: number;
  /** `done`: nothing was expected of it. */
  readonly verdict: Verdict | "done" | "skipped";
  /** Why it was skipped, or what is not known. */
  readonly why?: string | undefined;
  readonly checks: readonly Check[];
  /** Of a request. */
  readonly exchange?: ShownExchange | undefined;
  /** Of traffic, repeat and parallel. */
  readonly tally?: TallySummary | undefined;
  /** The last requests that the service saw, where the step is broken and the target tells. */
  readonly journal?: readonly JournalEntry[] | undefined;
}

export interface InvariantResult {
  /** As in invariants: M1, S2 and so on. */
  readonly id: string;
  readonly says: string;
  readonly verdict: Verdict;
  /** What is broken, with both figures, or why nothing is known. */
  readonly why?: string | undefined;
}

export interface PlayResult {
  /** Of this format. */
  readonly version: 1;
  readonly scenario: { readonly name: string; readonly about: string };
  readonly target: {
    /** `in-process`, `adsim` over HTTP, or any other `service`. */
    readonly kind: "in-process" | "adsim" | "service";
    readonly url: string | undefined;
    readonly time: "virtual" | "paced" | "real";
    readonly speed: number | undefined;
  };
  readonly verdict: Verdict;
  /** One line of why. */
  readonly why: string;
  /** Over what the client saw, without times and transport headers: the same on every target in virtual time. */
  readonly digest: string;
  /** ISO 8601, on the target's clock. */
  readonly startedAt: string;
  readonly endedAt: string;
  readonly steps: readonly StepResult[];
  readonly invariants: readonly InvariantResult[];
  readonly thresholds: readonly ThresholdResult[];
  /** What the target couldn't do. */
  readonly skipped: readonly { readonly path: string; readonly why: string }[];
  readonly tally: TallySummary;
  readonly latency: LatencySummary | undefined;
  readonly timeline: TimelineSummary;
  /** A line for a POSIX shell that plays it again. */
  readonly reproduce: string;
}

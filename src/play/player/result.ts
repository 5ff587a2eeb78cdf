/** The result of playing a scenario. It is plain JSON data, and the JSON report is exactly this. */

import type { ClientExchange } from "../../invariants/client-exchange.ts";
import type { Result } from "../../invariants/ensure.ts";
import type { InvariantResult } from "../../invariants/invariants.ts";
import type { JournalEntry } from "../../journal/entry.ts";
import type { LatencySummary, TallySummary } from "../measure/tally.ts";
import type { ThresholdResult } from "../measure/thresholds.ts";
import type { TimelineSummary } from "../measure/timeline.ts";
import type { StepKind } from "../scenario/step-kind.ts";

/** `undecided`: what it is about never happened, or the target couldn't do it. */
export type { Result };

export interface Check {
  readonly result: Result;
  /** What was checked, such as `status` or `body.revenue_inr`. */
  readonly about: string;
  /** The invariant's id, if that is what was checked. */
  readonly invariant?: string | undefined;
  /** In words or JSON. */
  readonly expected: string;
  readonly found: string;
  /** Why it is undecided. */
  readonly why?: string | undefined;
  /**
   * The choices that were assumed for it, such as `dedup.window=30m`. Only for what didn't come true, at a service that
   * isn't adsim.
   */
  readonly restsOn?: readonly string[] | undefined;
}

/** A request and its answer for display: credentials are redacted and long bodies shortened. */
export interface ShownExchange
  extends Pick<ClientExchange, "operation" | "outcome" | "status" | "latencyMs" | "why"> {
  /** ISO 8601, on the target's clock. */
  readonly at: string;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly query: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  };
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface StepResult {
  /** The path in the scenario, such as `steps.3`, `steps.2.repeat.steps.0` or `expectations.0`. */
  readonly path: string;
  readonly kind: StepKind;
  /** A short title, such as `impression as first`. */
  readonly title: string;
  /** When it began: ISO 8601, on the target's clock. */
  readonly at: string;
  /** How often the step was played. The checks are those of the first round that didn't pass, or of the last round. */
  readonly times: number;
  /** `done`: nothing was expected of it. */
  readonly result: Result | "done" | "skipped";
  /** Why it was skipped, or why it is undecided. */
  readonly why?: string | undefined;
  readonly checks: readonly Check[];
  /** For requests. */
  readonly exchange?: ShownExchange | undefined;
  /** For traffic, repeat and parallel. */
  readonly tally?: TallySummary | undefined;
  /** The last requests that the service saw. The first 20 failed steps have it, if the target has a journal. */
  readonly journal?: readonly JournalEntry[] | undefined;
}

export interface PlayResult {
  /** Version of this format. */
  readonly version: 1;
  readonly scenario: {
    readonly name: string;
    readonly about: string;
    /** For a scenario that shows a defect. Its play passes if the defect showed. */
    readonly result?: "failed" | undefined;
  };
  readonly target: {
    /** `in-process`, `adsim` over HTTP, or any other `service`. */
    readonly kind: "in-process" | "adsim" | "service";
    readonly url: string | undefined;
    readonly time: "virtual" | "paced" | "real";
    readonly speed: number | undefined;
  };
  readonly result: Result;
  /** The reason for the result, in one line. */
  readonly why: string;
  /** Digest of what the client saw, without times and transport headers. The same on every target in virtual time. */
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
  /** A POSIX shell command that plays the scenario again. */
  readonly reproduce: string;
  /** A part of every session id that was sent. Only at a service that isn't adsim. */
  readonly runId?: string | undefined;
}

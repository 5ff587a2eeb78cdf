/** What a finding in the client report is, and how the kinds of findings are made. */

import type { JournalEntry } from "../../journal/entry.ts";
import type { Attempt, Run } from "./attempt.ts";

/** Something that a client did wrong. */
export interface Finding {
  readonly id: FindingId;
  readonly title: string;
  /** How many requests did it. */
  readonly count: number;
  /** Their senders, most requests first; the publisher is undefined for requests without a valid key. */
  readonly who: readonly { readonly publisher: string | undefined; readonly count: number }[];
  /** What is wrong with it, and what a good client does instead. */
  readonly explanation: string;
  /** The part of the spec that it rests on, if any. */
  readonly spec: string | undefined;
  /** The first case on one line: the request, its answer, and what was wrong. */
  readonly example: string;
  /** The entries of the first three requests. */
  readonly proof: readonly JournalEntry[];
  /** Of all the requests, or the first 1,000. */
  readonly sequences: readonly number[];
}

/** In the order of a report: findings that cost money come first. */
export const findingIds = [
  "event-in-two-sessions",
  "failed-and-never-sent-again",
  "key-in-url",
  "continues-after-401",
  "before-retry-after",
  "hot-loop",
  "pauses-do-not-grow",
  "refused-and-sent-again",
  "click-on-unknown-impression",
  "impression-without-session",
  "no-such-operation",
  "limit-above-maximum",
] as const;

export type FindingId = (typeof findingIds)[number];

/** A request that shows a finding. */
export interface Offence {
  readonly attempt: Attempt;
  /** The earlier request whose answer should have stopped the client, or made it act. */
  readonly cause?: Attempt | undefined;
  /** What was wrong. In the example it follows the cause and its answer, or the request and its answer without a cause. */
  readonly detail: string;
}

export interface FindingKind {
  readonly title: string;
  readonly explanation: string;
  readonly spec?: string;
  /** Attempts between which the world's state wasn't replaced. `all`: with those before and after. */
  find(attempts: readonly Attempt[], all: readonly Attempt[]): readonly Offence[];
}

export type FindingKinds = { readonly [Id in FindingId]?: FindingKind };

/** Each request of a run but the first. */
export function offencesOf([cause, ...again]: Run, detail: string): Offence[] {
  return again.map((attempt) => ({ attempt, cause, detail }));
}

/** `#18 came 0.2 s later`, or `at once`. */
export function cameAfterText({ record: before }: Attempt, { sequence, record }: Attempt): string {
  const ms = record.nowMs - before.nowMs;
  return `#${sequence} came ${ms > 0 ? `${durationText(ms)} later` : "at once"}`;
}

/** `3 ms`, `0.2 s`, `43 s`. */
export function durationText(ms: number): string {
  return ms < 100 ? `${ms} ms` : `${Math.round(ms / 100) / 10} s`;
}

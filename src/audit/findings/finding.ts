/** What the client report finds fault with: one kind a row, each a pure function over a client's attempts. */

import type { JournalEntry } from "../../journal/entry.ts";
import type { Attempt, AttemptHistory } from "./attempts.ts";

/** Something that a client did wrong. */
export interface Finding {
  readonly id: FindingId;
  readonly title: string;
  /** How many requests. */
  readonly count: number;
  /** Whose, those with most first; the publisher is undefined for requests without a valid key. At most 20. */
  readonly who: readonly { readonly publisher: string | undefined; readonly count: number }[];
  /** What is wrong with it, and what a good client does instead. */
  readonly explanation: string;
  /** The part of the spec that it rests on, where there is one. */
  readonly spec: string | undefined;
  /** The first case in a line: the request, its answer, and what was wrong. */
  readonly example: string;
  /** The first three. */
  readonly proof: readonly JournalEntry[];
  /** All, or the first 1,000. */
  readonly sequences: readonly number[];
}

/** In the order of a report: what costs money comes first. */
export const findingIds = [
  "event-in-two-sessions",
  "lost-and-sent-again-without-session",
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

/** A request that proves a finding. */
export interface Offence {
  readonly attempt: Attempt;
  /** The request whose answer should have kept the client from it, or made it do something. */
  readonly cause?: Attempt | undefined;
  /** Follows, in the example, the cause and its answer; or the request and its answer where there is no cause. */
  readonly detail: string;
}

export interface FindingKind {
  readonly title: string;
  readonly explanation: string;
  readonly spec?: string;
  find(stretch: AttemptHistory): readonly Offence[];
  /** How often a client could have done it: where it never could, a rule that goes by this finding says nothing of it. */
  opportunityCount?(stretch: AttemptHistory): number;
}

/** Lists of those with the same key, in the order in which the first of each came. Undefined as a key leaves one out. */
export function groupedBy<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string | undefined,
): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

/**
 * A key for {@link groupedBy}: what asks for the same. Impressions without a session are left out: those of different users
 * look the same. So is, where that is known, what the client was asked for several times.
 */
export function repetitionKey({
  event,
  isOneEvent,
  requestKey,
  step,
}: Attempt): string | undefined {
  return isOneEvent || (event === undefined && step === undefined) ? requestKey : undefined;
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

/** What the control API answers to this page, as types. */

import type { InstalledRule } from "../../faults/installed-rule.ts";
import type { JournalEntry } from "../../journal/entry.ts";
import type { Received } from "../../spec/delivery.ts";

/** An exchange as the list shows it. */
export interface Row
  extends Pick<
    JournalEntry,
    | "sequence"
    | "at"
    | "operation"
    | "publisher"
    | "reason"
    | "producedBy"
    | "assumptions"
    | "limit"
    | "effect"
    | "creditInr"
  > {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  /** 0: no answer. */
  readonly status: number;
  readonly fault?: { readonly rule: string; readonly kind: string };
  readonly remaining?: number;
}

/** What was done to the world by hand, between the entries `after` and `after + 1`. */
export interface Change {
  readonly after: number;
  readonly at: string;
  readonly change: { readonly kind: string };
  readonly text: string;
}

/** A line of the list. */
export type Item = Row | Change;

export interface EntryReply {
  readonly entry: JournalEntry;
  readonly curl: string;
  readonly step: object;
}

export type Choices = Readonly<Record<string, string>>;

export interface OpenPoint {
  readonly question: string;
  readonly spec: string;
  readonly default: string;
  readonly choices: Choices;
  readonly caution: string;
}

export type Catalogue = Readonly<Record<string, OpenPoint>>;

export interface Surface {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly cpmRange: readonly [number, number];
}

export interface Publisher {
  readonly id: string;
  readonly apiKey: string;
  readonly name: string;
  readonly surfaces: readonly Surface[];
}

export interface Books {
  readonly impressions: number;
  readonly clicks: number;
  readonly revenueInr: number;
  readonly paidInr: number;
  readonly pendingInr: number;
}

interface ReportingAnswer {
  readonly status: number;
  readonly body: unknown;
}

export interface PublisherState extends Pick<Publisher, "id" | "name" | "surfaces"> {
  readonly books: Books;
  readonly quotas: readonly {
    readonly name: string;
    readonly limit: number;
    readonly remaining: number;
  }[];
  readonly stats: ReportingAnswer;
  readonly payouts: ReportingAnswer;
}

export interface State {
  readonly now: string;
  readonly mode: string;
  readonly assumptions: Choices;
  readonly faults: readonly InstalledRule[];
  readonly publisher: PublisherState | null;
}

export interface Moment {
  readonly sequence: number;
  readonly publisher: string | null;
  readonly before: State;
  readonly after: State;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly received?: Received;
  readonly reason: string;
  readonly producedBy: string;
  readonly effect?: Row["effect"];
  readonly creditInr?: Row["creditInr"];
}

interface Reading {
  readonly key: string;
  readonly choice: string;
}

export interface ReadingGroups {
  readonly groups: readonly {
    readonly answer: Answer;
    readonly readings: readonly Reading[];
    readonly differences: readonly string[];
  }[];
  readonly impossible: readonly (Reading & { readonly why: string })[];
  readonly note?: string;
}

export interface WhatIf {
  readonly before: Answer;
  readonly answer: Answer;
  readonly differences: readonly string[];
}

export interface WorldSummary {
  readonly name: string;
  readonly seed: string;
  readonly now: string;
  readonly requests: number;
  readonly publishersTouched: number;
  readonly impressions: number;
}

export interface Health {
  readonly version: string;
  readonly seed: string;
  readonly world: string;
  readonly now: string;
}

/** Compares what a client believes with what is on record, and lists the requests that can explain a difference. */

import * as v from "valibot";
import { formatInstant } from "../base/calendar.ts";
import { InputError, inField, parseInput } from "../base/input.ts";
import { MICROS_PER_PAISA, microsToInr, nearestMicros } from "../base/money.ts";
import { strictObject, wholeFrom } from "../base/schemas.ts";
import type { ExchangeItem } from "../journal/log.ts";
import type { Choice } from "../spec/assumptions/catalogue.ts";
import { isEventKind } from "../spec/operations.ts";
import type { Accounts } from "../world/accounts/accounts.ts";
import type { PublisherFigures } from "./figures.ts";

/** How many distinct events the client believes are recorded. */
export interface ClientCounts {
  /** Its id. @default all publishers together */
  readonly publisher?: string | undefined;
  readonly impressions: number;
  readonly clicks: number;
  /** What the client believes they earned, in INR. @default not compared */
  readonly revenueInr?: number | undefined;
}

/** One figure on which a client and the audit disagree. */
export interface AuditDifference {
  /** Id of the publisher; undefined for all publishers together. */
  readonly publisher: string | undefined;
  readonly what: "impressions" | "clicks" | "revenueInr";
  readonly client: number;
  /** What is on record. */
  readonly ledger: number;
  /** Sequences of the journal entries that can explain it, in ascending order. */
  readonly entries: readonly number[];
}

/** The client and the audit disagree, or the audit doesn't balance. */
export class AuditError extends Error {
  override readonly name = "AuditError";
  /** Empty if only the audit doesn't balance. */
  readonly differences: readonly AuditDifference[];

  constructor(message: string, differences: AuditError["differences"]) {
    super(message);
    this.differences = differences;
  }
}

/** What an audit found. */
export interface AuditFacts {
  readonly accounts: Accounts;
  readonly figures: readonly PublisherFigures[];
  readonly discrepancies: readonly string[];
  readonly precision: Choice<"money.precision">;
  /** How many impression and click requests there were, copies included. */
  readonly requests: number;
  /** What the journal had. */
  readonly exchanges: readonly ExchangeItem[];
}

/** @throws AuditError if they disagree, InputError for impossible counts. */
export function assertCounts(clientCounts: unknown, facts: AuditFacts): void {
  const { accounts, discrepancies, requests, exchanges } = facts;
  const all = readClientCounts(clientCounts, (id) => accounts.ordinalOf(id) !== undefined);
  const recording = exchanges.filter(({ record }) => isEventKind(record.operation));
  const suspects = recording.filter(isSuspect);
  const found = all
    .flatMap((counts) => differencesOf(counts, facts))
    .map((one) => ({ ...one, suspects: suspects.filter((item) => concerns(one, item)) }));
  const gap = `The journal has ${recording.length} of ${requests} impression and click requests, so the lists may be incomplete.`;
  const sections = [
    ...(discrepancies.length === 0 ? [] : [[UNBALANCED, ...discrepancies].join("\n  ")]),
    ...found.map(differenceText),
    ...(found.length === 0 ? [] : [ADVICE]),
    ...(found.length === 0 || recording.length === requests ? [] : [gap]),
  ];
  if (sections.length === 0) return;
  throw new AuditError(
    sections.join("\n\n"),
    found.map(({ suspects: own, ...one }) => ({
      ...one,
      entries: own.map(({ sequence }) => sequence),
    })),
  );
}

const UNBALANCED =
  "The audit doesn't balance. A client can't cause this: it is a bug in adsim, or a snapshot was edited.";
const ADVICE =
  "To do: count each event once, when it is answered with 200. Send it again until then (an impression with the same session_id), or until 409 says that it is on record. Read revenue from GET /v1/publisher/stats: a sum over answers lacks the lost ones, and may have a duplicate's credit twice.";

const amount = "must be an amount in INR, 0 or more";
const countsSchema = strictObject({
  publisher: v.optional(v.string("must be the id of a publisher")),
  impressions: wholeFrom(0),
  clicks: wholeFrom(0),
  revenueInr: v.optional(v.pipe(v.number(amount), v.finite(amount), v.minValue(0, amount))),
});

/** @throws InputError that names the field. */
function readClientCounts(
  input: unknown,
  isPublisher: (id: string) => boolean,
): readonly ClientCounts[] {
  const all: readonly unknown[] = Array.isArray(input) ? input : [input];
  if (all.length === 0) {
    throw new InputError("clientCounts", "must not be empty: it would expect nothing");
  }
  return all.map((one, index) =>
    inField(all === input ? `clientCounts.${index}` : "clientCounts", () => {
      const counts = parseInput(countsSchema, one);
      const { publisher } = counts;
      if (publisher !== undefined && !isPublisher(publisher)) {
        throw new InputError("publisher", "names no publisher of this world", "not-found");
      }
      return counts;
    }),
  );
}

type Difference = Omit<AuditDifference, "entries">;

function differencesOf(
  { publisher, impressions, clicks, revenueInr }: ClientCounts,
  { figures, precision }: AuditFacts,
): Difference[] {
  const own = figures.filter(({ id }) => publisher === undefined || publisher === id);
  const sum = (of: (figures: PublisherFigures) => number): number =>
    own.reduce((all, one) => all + of(one), 0);
  const events = { impressions: sum((one) => one.count), clicks: sum((one) => one.clickCount) };
  const micros = sum((one) => one.impressions.recordedMicros + one.clicks.recordedMicros);
  const believed = revenueInr === undefined ? micros : nearestMicros(revenueInr);
  // Credits in answers may be rounded to paise. Those on record are exact.
  const rounding = precision === "paise" ? MICROS_PER_PAISA / 2 : 0;
  const isClose = Math.abs(believed - micros) <= rounding * (events.impressions + events.clicks);
  const compared = [
    ["impressions", impressions, events.impressions],
    ["clicks", clicks, events.clicks],
    ["revenueInr", microsToInr(isClose ? micros : believed), microsToInr(micros)],
  ] as const;
  return compared.flatMap(([what, client, ledger]) =>
    client === ledger ? [] : [{ publisher, what, client, ledger }],
  );
}

/** Whether a client may have misunderstood it: it met a fault, or it was a duplicate or refused. */
function isSuspect({ record: { fault, effect } }: ExchangeItem): boolean {
  return fault !== undefined || effect === "suppressed" || effect === "refused";
}

function concerns({ publisher, what }: Difference, { record }: ExchangeItem): boolean {
  const isOwn = publisher === undefined || publisher === record.account?.id;
  return isOwn && (what === "revenueInr" || `${record.operation}s` === what);
}

const MOST_LISTED = 12;

function differenceText(one: Difference & { readonly suspects: readonly ExchangeItem[] }): string {
  const { publisher, what, client, ledger, suspects } = one;
  const who = publisher === undefined ? "All publishers" : `Publisher ${publisher}`;
  const more = suspects.length - MOST_LISTED;
  return [
    `${who}: ${what} by the client's count: ${client}, on record: ${ledger}.`,
    suspects.length === 0
      ? "  No request met a fault, was a duplicate or was refused."
      : "  Requests that met a fault, duplicates and refusals:",
    ...suspects.slice(0, MOST_LISTED).map((item) => `    ${suspectText(item)}`),
    ...(more > 0 ? [`    and ${more} more`] : []),
  ].join("\n");
}

/** What the client got, whether this request recorded the event, and the rule that acted. */
function suspectText({ sequence, record }: ExchangeItem): string {
  const { nowMs, operation, response, fault, reason, effect } = record;
  const answer = fault?.received === "part" ? "a damaged answer" : `status ${response.status}`;
  const got = fault?.received === "nothing" ? "no answer" : answer;
  const recorded = effect === "applied" ? "recorded" : "not recorded";
  const why = fault === undefined ? reason : `rule "${fault.rule}", ${fault.kind}`;
  return `#${sequence} ${formatInstant(nowMs)} ${operation}: ${got}, ${recorded} (${why})`;
}

/** Compares what a client believes with what is on record, and lists the requests that can explain a difference. */

import { formatInstant } from "../base/calendar.ts";
import { MICROS_PER_PAISA, microsToInr, nearestMicros } from "../base/money.ts";
import type { ExchangeItem } from "../journal/log.ts";
import type { Choice } from "../spec/assumptions/catalogue.ts";
import { isEventKind } from "../spec/operations.ts";
import type { Accounts } from "../world/accounts/accounts.ts";
import type { PublisherFigures } from "./balance.ts";
import { type ClientCounts, readClientCounts } from "./client-counts.ts";

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
  const { accounts, figures, discrepancies, precision, requests, exchanges } = facts;
  const all = readClientCounts(clientCounts, (id) => accounts.ordinalOf(id) !== undefined);
  const recording = exchanges.filter(({ record }) => isEventKind(record.operation));
  const gap =
    recording.length === requests
      ? ""
      : `\n  The journal has ${recording.length} of ${requests} impression and click requests: it is off, was cleared, keeps only the latest, or a fork or a restored snapshot came between.`;
  const unbalanced =
    "The audit doesn't balance. A client can't cause this: it is a bug in adsim, or a snapshot was edited.";
  const sections = discrepancies.length === 0 ? [] : [[unbalanced, ...discrepancies].join("\n  ")];
  const differences: AuditDifference[] = [];
  for (const counts of all) {
    const isConcerned = (id: string | undefined): boolean =>
      counts.publisher === undefined || counts.publisher === id;
    const own = figures.filter(({ id }) => isConcerned(id));
    const differing = differencesOf(counts, own, precision);
    if (differing.length === 0) continue;
    const suspects = recording
      .filter((item) => isSuspect(item) && isConcerned(item.record.account?.id))
      .filter((item) => differing.some((one) => concerns(one, item)));
    sections.push(differenceText(differing, suspects) + gap);
    for (const one of differing) {
      const entries = suspects.filter((item) => concerns(one, item));
      differences.push({ ...one, entries: entries.map(({ sequence }) => sequence) });
    }
  }
  if (sections.length > 0) throw new AuditError(sections.join("\n\n"), differences);
}

type Difference = Omit<AuditDifference, "entries">;

function differencesOf(
  { publisher, impressions, clicks, revenueInr }: ClientCounts,
  figures: readonly PublisherFigures[],
  precision: Choice<"money.precision">,
): Difference[] {
  const sum = (of: (figures: PublisherFigures) => number): number =>
    figures.reduce((all, one) => all + of(one), 0);
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

function concerns({ what }: Difference, { record }: ExchangeItem): boolean {
  return what === "revenueInr" || `${record.operation}s` === what;
}

const MOST_LISTED = 12;

function differenceText(
  differences: readonly Difference[],
  suspects: readonly ExchangeItem[],
): string {
  const publisher = differences[0]?.publisher;
  const more = suspects.length - MOST_LISTED;
  return [
    `${publisher === undefined ? "All publishers" : `Publisher ${publisher}`}: the client and the audit disagree.`,
    ...differences.map(
      ({ what, client, ledger }) => `  ${what}: the client counts ${client}, on record: ${ledger}`,
    ),
    suspects.length === 0
      ? "  No request met a fault, was a duplicate or was refused. Check when the client counts an event, and where it sends it."
      : "  Requests that met a fault, duplicates and refusals:",
    ...suspects.slice(0, MOST_LISTED).map((item) => `    ${suspectText(item)}`),
    ...(more > 0 ? [`    and ${more} more`] : []),
    ...Array.from(new Set(differences.map(adviceOn)), (advice) => `  To do: ${advice}`),
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

function adviceOn({ what, client, ledger }: Difference): string {
  if (what === "revenueInr")
    return "read revenue from GET /v1/publisher/stats. A sum over answers lacks the lost ones, and may have a duplicate's credit twice.";
  return client > ledger
    ? "count each id once, when its event is answered with 200. Send the event again until then (an impression with the same session_id), or until 409 says that it is on record."
    : "an event whose answer was lost may be on record. Send it again (an impression with the same session_id), and count it once it is answered.";
}

/** Compares what a client believes with what is on record, and explains the difference. */

import { MICROS_PER_PAISA, microsToInr, nearestMicros } from "../base/money.ts";
import type { Journal } from "../journal/journal.ts";
import type { Choice } from "../spec/assumptions/catalogue.ts";
import type { AccountWorld } from "../world/accounts/accounts.ts";
import { type AuditDifference, AuditError } from "./audit-error.ts";
import type { Books } from "./check-account.ts";
import { type ClientCounts, readClientCounts } from "./client-counts.ts";
import { type Clue, cluesOf } from "./clues.ts";
import { type Difference, differenceSection, explains, unbalancedText } from "./error-text.ts";
import { recordingEntries } from "./recording-entries.ts";

export interface Audited extends AccountWorld {
  /** By publisher id; only publishers with requests or records. */
  readonly books: ReadonlyMap<string, Books>;
  readonly discrepancies: readonly string[];
  readonly journal: Journal;
  /** How many impression and click requests there were, copies included. */
  readonly requests: number;
  /** How many requests of any kind the journal had counted by the time of the audit. */
  readonly sequence: number;
}

/** What is on record for one publisher, or for all. */
interface Ledger {
  readonly impressions: number;
  readonly clicks: number;
  readonly micros: number;
}

/** @throws AuditError if they disagree, InputError for impossible counts. */
export function assertCounts(clientCounts: unknown, audited: Audited): void {
  const { accounts, discrepancies } = audited;
  const all = readClientCounts(clientCounts, (id) => accounts.ordinalOf(id) !== undefined);
  const differing = all
    .map((counts) => ({ counts, differences: differencesOf(counts, audited) }))
    .filter(({ differences }) => differences.length > 0);
  if (differing.length === 0 && discrepancies.length === 0) return;

  const sections = discrepancies.length === 0 ? [] : [unbalancedText(discrepancies)];
  const shown: AuditDifference[] = [];
  for (const { counts, differences } of differing) {
    const { clues, journalGap } = collectClues(counts.publisher, audited);
    sections.push(differenceSection(counts.publisher, differences, clues, journalGap));
    for (const { side, ...difference } of differences) {
      const telling = clues.filter(explains(side, difference.what));
      // Two clues may name one entry: as a retry, and as lost itself.
      const entries = new Set(telling.flatMap(({ sequences }) => sequences));
      shown.push({ ...difference, entries: Array.from(entries).sort((a, b) => a - b) });
    }
  }
  throw new AuditError(sections.join("\n\n"), shown);
}

function differencesOf(counts: ClientCounts, { books, assumptions }: Audited): Difference[] {
  const { publisher, revenueInr } = counts;
  const ledger = ledgerOf(books, publisher);
  const differences: Difference[] = [];
  for (const what of ["impressions", "clicks"] as const) {
    if (counts[what] === ledger[what]) continue;
    const side = counts[what] > ledger[what] ? "lost" : "doubled";
    differences.push({ publisher, what, client: counts[what], ledger: ledger[what], side });
  }
  if (revenueInr !== undefined) {
    const client = nearestMicros(revenueInr);
    const events = ledger.impressions + ledger.clicks;
    const tolerated = events * maxRoundingMicros[assumptions["money.precision"]];
    if (Math.abs(client - ledger.micros) > tolerated) {
      const side = client > ledger.micros ? "credit not on record" : "credit unseen";
      const amounts = { client: microsToInr(client), ledger: microsToInr(ledger.micros) };
      differences.push({ publisher, what: "revenueInr", ...amounts, side });
    }
  }
  return differences;
}

/** The most by which the credit in an answer can differ from the one on record, in micro-INR. */
const maxRoundingMicros = { exact: 0, paise: MICROS_PER_PAISA / 2 } satisfies Record<
  Choice<"money.precision">,
  number
>;

function ledgerOf(books: Audited["books"], publisher: string | undefined): Ledger {
  const ledger = { impressions: 0, clicks: 0, micros: 0 };
  for (const [id, { events, recorded }] of books) {
    if (publisher !== undefined && publisher !== id) continue;
    ledger.impressions += events.impressions;
    ledger.clicks += events.clicks;
    ledger.micros += recorded.impressions.recordedMicros + recorded.clicks.recordedMicros;
  }
  return ledger;
}

/** `journalGap`: says which requests the journal lacks or holds in addition, if any. */
function collectClues(
  publisher: string | undefined,
  audited: Audited,
): { readonly clues: readonly Clue[]; readonly journalGap: string | undefined } {
  const { journal, sequence, requests } = audited;
  const entries = journal.entries().filter((entry) => entry.sequence <= sequence);
  const recording = recordingEntries(entries, audited);
  const own =
    publisher === undefined ? recording : recording.filter((one) => one.publisher === publisher);
  return { clues: cluesOf(own), journalGap: journalGapText(recording.length, requests) };
}

function journalGapText(held: number, requests: number): string | undefined {
  if (held < requests) {
    return (
      `The journal doesn't hold ${requests - held} of the ${requests} impression and click requests: ` +
      "it is off, was cleared, holds only the latest, or they came before a fork or a snapshot."
    );
  }
  if (held === requests) return undefined;
  return `The journal also holds ${held - requests} requests that were undone by restoring a snapshot.`;
}

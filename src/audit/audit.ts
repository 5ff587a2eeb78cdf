/** Audits a world: what clients attempted, what was applied, what they learned of it, and whether the books agree. */

import { formatInstant } from "../base/calendar.ts";
import { payoutHistoryOf } from "../exchange/operations/revenue.ts";
import type { Journal } from "../journal/journal.ts";
import type { Account } from "../world/accounts/account.ts";
import type { DirectoryWorld } from "../world/accounts/publisher-directory.ts";
import { lastDayOf } from "../world/ledger/book.ts";
import { assertCounts } from "./assert-counts.ts";
import {
  amountsOf,
  type BookAmounts,
  type Books,
  booksOf,
  tallyDiscrepancies,
} from "./check-account.ts";
import type { ClientCounts } from "./client-counts.ts";
import { type EventLines, eventLinesOf, figuresWithoutAccount } from "./event-line.ts";

/** What became of one publisher's impression and click requests. */
export interface PublisherAudit extends EventLines {
  /** Its id. */
  readonly publisher: string;
  readonly balanced: boolean;
  /** Lifetime amounts in INR: revenue = paid + pending. */
  readonly books: BookAmounts;
}

/** What happened in a world until now. */
export interface Audit {
  /** Time of the audit, in ISO 8601 on the world's clock. */
  readonly at: string;
  /** Whether the tallies, the books and the payouts agree. If not, adsim has a bug or a snapshot was edited. */
  readonly balanced: boolean;
  /** One line per disagreement: the publisher, what disagrees, and both figures. */
  readonly discrepancies: readonly string[];
  /** All publishers and the requests without a valid key. */
  readonly total: EventLines;
  /** Publishers with requests or records. */
  readonly publishers: readonly PublisherAudit[];
  /** Requests without a valid key. */
  readonly withoutKey: EventLines;
  /**
   * Expects that the books have exactly the events that the client believes are recorded, each once.
   *
   * @throws AuditError that says what is lost or doubled, and why. InputError for impossible counts.
   */
  assertNothingLostOrDoubled(clientCounts: ClientCounts | readonly ClientCounts[]): void;
}

interface AuditedAccount {
  readonly account: Account;
  readonly books: Books;
  readonly line: PublisherAudit;
}

/** Reads only. */
export function auditOf(world: DirectoryWorld, journal: Journal): Audit {
  const { accounts, assumptions, clock, ids, population, dayOf } = world;
  const nowMs = clock.now();
  const today = dayOf(nowMs);
  const entries: AuditedAccount[] = [];
  for (const account of accounts.openedAccounts().filter(hasHistory)) {
    const payouts = payoutHistoryOf(population, account, today);
    const books = booksOf(account, population.seededHistory(account), payouts);
    entries.push({ account, books, line: publisherAudit(account, books) });
  }
  const unauthenticated = figuresWithoutAccount(accounts.unauthenticated);
  const withoutKey = eventLinesOf([unauthenticated]);
  const discrepancies = [
    ...entries.flatMap(({ account, books }) =>
      books.discrepancies.map((what) => `publisher ${account.id}: ${what}`),
    ),
    ...[...tallyDiscrepancies(accounts.unauthenticated), ...servedWithoutKeyText(withoutKey)].map(
      (what) => `without a key: ${what}`,
    ),
  ];
  const total = eventLinesOf([unauthenticated, ...entries.map(({ books }) => books.recorded)]);
  // Fixed now: the world may change before the caller asserts.
  const audited = {
    books: new Map(entries.map(({ account, books }) => [account.id, books])),
    discrepancies,
    assumptions,
    accounts,
    ids,
    population,
    journal,
    requests: total.attempts + total.copies,
    sequence: journal.total,
  };
  return {
    at: formatInstant(nowMs),
    balanced: discrepancies.length === 0,
    discrepancies: [...discrepancies],
    total,
    publishers: entries.map(({ line }) => line),
    withoutKey,
    assertNothingLostOrDoubled: (clientCounts) => assertCounts(clientCounts, audited),
  };
}

function hasHistory({ tally, book }: Account): boolean {
  const counted = [...Object.values(tally.impression), ...Object.values(tally.click)];
  return counted.some((count) => count !== 0) || lastDayOf(book) !== undefined;
}

function servedWithoutKeyText({ applied, duplicatesSuppressed }: EventLines): string[] {
  const served = applied + duplicatesSuppressed;
  return served === 0 ? [] : [`${served} requests served, 0 allowed`];
}

function publisherAudit(account: Account, books: Books): PublisherAudit {
  return {
    publisher: account.id,
    balanced: books.discrepancies.length === 0,
    ...eventLinesOf([books.recorded]),
    books: amountsOf(books),
  };
}

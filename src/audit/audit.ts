/** Audits a world: what clients attempted, what was applied, what they learned of it, and whether all figures agree. */

import { formatInstant } from "../base/calendar.ts";
import type { WorldJournal } from "../journal/journal.ts";
import type { Account } from "../world/accounts/account.ts";
import type { DirectoryWorld } from "../world/accounts/publisher-directory.ts";
import { lastDayOf } from "../world/ledger/book.ts";
import { type AuditFacts, assertCounts, type ClientCounts } from "./assert-counts.ts";
import {
  type Amounts,
  discrepanciesIn,
  type EventLines,
  eventLinesOf,
  figuresOf,
} from "./figures.ts";

/** What became of one publisher's impression and click requests. */
export interface PublisherAudit extends EventLines {
  /** Its id. */
  readonly publisher: string;
  readonly balanced: boolean;
  /** In INR, with the seeded history. */
  readonly amounts: Amounts;
}

/** What happened in a world until now. */
export interface Audit {
  /** Time of the audit, in ISO 8601 on the world's clock. */
  readonly at: string;
  /** Whether requests, record, totals and payouts agree. If not, adsim has a bug or a snapshot was edited. */
  readonly balanced: boolean;
  /** One line for each disagreement: the publisher, what disagrees, and both figures. */
  readonly discrepancies: readonly string[];
  /** All publishers and the requests without a valid key. */
  readonly total: EventLines;
  /** Publishers with requests or records. */
  readonly publishers: readonly PublisherAudit[];
  /** Requests without a valid key. */
  readonly withoutKey: EventLines;
  /**
   * Expects that exactly the events that the client believes are recorded are on record, each once.
   *
   * @throws AuditError that says what is lost or doubled, and lists the requests that can explain it. InputError for
   * impossible counts.
   */
  assertNothingLostOrDoubled(clientCounts: ClientCounts | readonly ClientCounts[]): void;
}

/** Reads only. */
export function auditOf(world: DirectoryWorld, journal: WorldJournal): Audit {
  const { accounts, assumptions, clock, population, dayOf } = world;
  const nowMs = clock.now();
  const figures = accounts
    .openedAccounts()
    .filter(hasHistory)
    .map((account) => figuresOf(account, population, dayOf(nowMs)));
  const { impression, click } = accounts.unauthenticated;
  const unauthenticated = {
    impressions: { ...impression, recordedMicros: 0 },
    clicks: { ...click, recordedMicros: 0 },
  };
  const withoutKey = eventLinesOf([unauthenticated]);
  const total = eventLinesOf([unauthenticated, ...figures]);
  const discrepancies = [
    ...figures.flatMap((one) => one.discrepancies.map((text) => `publisher ${one.id}: ${text}`)),
    ...discrepanciesIn([["events without a key, applied and allowed", withoutKey.applied, 0]]),
  ];
  // Fixed now: the world may change before the caller asserts.
  const facts: AuditFacts = {
    ...{ accounts, figures, discrepancies },
    precision: assumptions["money.precision"],
    requests: total.attempts + total.copies,
    exchanges: journal.exchanges(),
  };
  return {
    at: formatInstant(nowMs),
    balanced: discrepancies.length === 0,
    discrepancies: [...discrepancies],
    total,
    publishers: figures.map((one) => ({
      publisher: one.id,
      balanced: one.discrepancies.length === 0,
      ...eventLinesOf([one]),
      amounts: one.amounts,
    })),
    withoutKey,
    assertNothingLostOrDoubled: (clientCounts) => assertCounts(clientCounts, facts),
  };
}

function hasHistory({ tally, book }: Account): boolean {
  const counted = [...Object.values(tally.impression), ...Object.values(tally.click)];
  return counted.some((count) => count !== 0) || lastDayOf(book) !== undefined;
}

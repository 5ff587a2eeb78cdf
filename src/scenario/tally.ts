/** What came of many requests, counted: a traffic step's, a repeat's, a parallel's, a whole run's. */

import type { OperationId } from "../contract/operations.ts";
import { creditedMicros } from "./credited.ts";
import type { Exchange, Punctuality } from "./player/effects.ts";

export interface OperationTally {
  readonly sent: number;
  /** Whole answers with status 200. */
  readonly ok: number;
}

/** What steps name and expectations look at. */
export interface TallySummary {
  readonly sent: number;
  /** Whole answers with status 200. */
  readonly ok: number;
  /** Whole answers with a status from 400 to 499. */
  readonly refused: number;
  /** Whole answers with a status from 500 on. */
  readonly failed: number;
  readonly cut: number;
  readonly lost: number;
  readonly timedOut: number;
  readonly late: number;
  readonly dropped: number;
  /** Whole answers by status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Revenue that whole answers credited, in INR, exact to the micro. */
  readonly creditedInr: number;
  /** How many different ids answers gave to impressions and clicks; counted up to 100,000 answers. */
  readonly differentIds: number | undefined;
  readonly operations: { readonly [Id in OperationId]?: OperationTally };
}

export interface Tally {
  count(exchange: Exchange): void;
  add(punctuality: Punctuality): void;
  summary(): TallySummary;
}

/** The most answers of which ids are told apart. */
const MOST_IDS = 100_000;
const MICROS = 1_000_000;
const ID = /"(?:impression|click)_id":"([^"]*)"/;

export function createTally(): Tally {
  const counts = { ok: 0, refused: 0, failed: 0, cut: 0, lost: 0, "timed-out": 0, answered: 0 };
  const punctual = { late: 0, dropped: 0 };
  const operations = new Map<OperationId, { sent: number; ok: number }>();
  const statuses = new Map<number, number>();
  const ids = new Set<string>();
  let sent = 0;
  let micros = 0;

  function countAnswer({ status, text }: Exchange): void {
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (status >= 500) counts.failed += 1;
    else if (status >= 400) counts.refused += 1;
    if (status !== 200) return;
    counts.ok += 1;
    micros += creditedMicros(text);
    if (counts.ok > MOST_IDS) ids.clear();
    else {
      const [, id] = ID.exec(text) ?? [];
      if (id !== undefined) ids.add(id);
    }
  }

  return {
    count(exchange) {
      const { operation, outcome, status } = exchange;
      sent += 1;
      counts[outcome] += 1;
      if (outcome === "answered") countAnswer(exchange);
      if (operation === undefined) return;
      const of = operations.get(operation) ?? { sent: 0, ok: 0 };
      if (of.sent === 0) operations.set(operation, of);
      of.sent += 1;
      if (status === 200 && outcome === "answered") of.ok += 1;
    },
    add({ late, dropped }) {
      punctual.late += late;
      punctual.dropped += dropped;
    },
    summary: () => ({
      sent,
      ok: counts.ok,
      refused: counts.refused,
      failed: counts.failed,
      cut: counts.cut,
      lost: counts.lost,
      timedOut: counts["timed-out"],
      ...punctual,
      statuses: Object.fromEntries(statuses),
      creditedInr: micros / MICROS,
      differentIds: counts.ok > MOST_IDS ? undefined : ids.size,
      operations: Object.fromEntries(Array.from(operations, ([id, of]) => [id, { ...of }])),
    }),
  };
}

/** Counts the outcomes of many requests: of a traffic step, a repeat, a parallel or a whole run. */

import { microsToInr } from "../../base/money.ts";
import {
  type ClientExchange,
  type RequestOutcome,
  requestOutcomes,
} from "../../invariants/client-exchange.ts";
import { type OperationId, operationIds } from "../../spec/operations.ts";

import type { Punctuality } from "../traffic/order.ts";
import { creditedMicros } from "./credited.ts";

export interface OperationTally {
  readonly sent: number;
  /** Whole answers with status 200. */
  readonly ok: number;
}

/** The output of traffic, repeat and parallel steps. */
export interface TallySummary {
  readonly sent: number;
  /** Whole answers with status 200. */
  readonly ok: number;
  /** Whole answers with a status from 400 to 499. */
  readonly refused: number;
  /** Whole answers with a status of 500 or more. */
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
  /** Number of different impression and click ids in the answers; undefined if more than 100,000. */
  readonly differentIds: number | undefined;
  readonly operations: { readonly [Id in OperationId]?: OperationTally };
}

export interface Tally {
  /** Called millions of times. `micros`: the credited revenue in the answer, if already known. */
  count(exchange: ClientExchange, micros?: number): void;
  addPunctuality(punctuality: Punctuality): void;
  /** Adds the counts of another tally. */
  add(other: Tally): void;
  summary(): TallySummary;
  readonly counts: Counts;
}

interface Counts {
  readonly outcomes: Record<RequestOutcome, number>;
  readonly operations: Record<OperationId, { sent: number; ok: number }>;
  readonly statuses: Map<number, number>;
  readonly ids: Set<string>;
  /** Whether there were more ids than {@link MAX_IDS}. */
  tooManyIds: boolean;
  late: number;
  dropped: number;
  creditedMicros: number;
}

/** At most this many ids are kept. */
const MAX_IDS = 100_000;
const ID = /"(?:impression|click)_id"\s*:\s*"((?:[^"\\]|\\.)*)"/;

export function createTally(): Tally {
  const counts = noCounts();
  const { outcomes, operations, statuses } = counts;
  // Most answers have the same operation as the one before.
  let last: OperationId | undefined;
  let ofLast = { sent: 0, ok: 0 };

  return {
    counts,
    count(exchange, micros = creditedMicros(exchange.text)) {
      const { operation, outcome } = exchange;
      outcomes[outcome] += 1;
      const isOk = outcome === "answered" && exchange.status === 200;
      if (operation !== undefined) {
        if (operation !== last) {
          last = operation;
          ofLast = operations[operation];
        }
        ofLast.sent += 1;
        if (isOk) ofLast.ok += 1;
      }
      if (outcome !== "answered") return;
      statuses.set(exchange.status, (statuses.get(exchange.status) ?? 0) + 1);
      counts.creditedMicros += micros;
      if (isOk && !counts.tooManyIds) addId(counts, ID.exec(exchange.text)?.[1]);
    },
    addPunctuality({ late, dropped }) {
      counts.late += late;
      counts.dropped += dropped;
    },
    add: (other) => addCounts(counts, other.counts),
    summary: () => summaryOf(counts),
  };
}

function noCounts(): Counts {
  const none = (): { sent: number; ok: number } => ({ sent: 0, ok: 0 });
  return {
    outcomes: { answered: 0, cut: 0, lost: 0, "timed-out": 0 },
    operations: {
      stats: none(),
      impression: none(),
      click: none(),
      surfaces: none(),
      payouts: none(),
    },
    statuses: new Map(),
    ids: new Set(),
    tooManyIds: false,
    late: 0,
    dropped: 0,
    creditedMicros: 0,
  };
}

function addId(counts: Counts, id: string | undefined): void {
  if (id === undefined) return;
  counts.ids.add(id);
  if (counts.ids.size <= MAX_IDS) return;
  counts.tooManyIds = true;
  counts.ids.clear();
}

function addCounts(to: Counts, from: Counts): void {
  for (const outcome of requestOutcomes) to.outcomes[outcome] += from.outcomes[outcome];
  for (const id of operationIds) {
    to.operations[id].sent += from.operations[id].sent;
    to.operations[id].ok += from.operations[id].ok;
  }
  for (const [status, answers] of from.statuses) {
    to.statuses.set(status, (to.statuses.get(status) ?? 0) + answers);
  }
  to.tooManyIds ||= from.tooManyIds;
  if (to.tooManyIds) to.ids.clear();
  else for (const id of from.ids) addId(to, id);
  to.late += from.late;
  to.dropped += from.dropped;
  to.creditedMicros += from.creditedMicros;
}

/** How many whole answers had a status of at least `from` and below `to`. */
export function answersFrom(
  from: number,
  to: number,
  statuses: ReadonlyMap<number, number>,
): number {
  let sum = 0;
  for (const [status, answers] of statuses) if (status >= from && status < to) sum += answers;
  return sum;
}

function summaryOf(counts: Counts): TallySummary {
  const { outcomes, operations, statuses, ids } = counts;
  return {
    sent: outcomes.answered + outcomes.cut + outcomes.lost + outcomes["timed-out"],
    ok: statuses.get(200) ?? 0,
    refused: answersFrom(400, 500, statuses),
    failed: answersFrom(500, Number.POSITIVE_INFINITY, statuses),
    cut: outcomes.cut,
    lost: outcomes.lost,
    timedOut: outcomes["timed-out"],
    late: counts.late,
    dropped: counts.dropped,
    statuses: Object.fromEntries(statuses),
    creditedInr: microsToInr(counts.creditedMicros),
    differentIds: counts.tooManyIds ? undefined : ids.size,
    operations: Object.fromEntries(
      operationIds.filter((id) => operations[id].sent > 0).map((id) => [id, { ...operations[id] }]),
    ),
  };
}

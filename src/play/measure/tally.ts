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
  /** Ids in the answers, up to one more than {@link MAX_IDS}. */
  readonly ids: ReadonlySet<string>;
}

/** The counts themselves, as the timeline has them for each of its buckets. */
export interface Counts {
  readonly outcomes: Record<RequestOutcome, number>;
  readonly operations: Record<OperationId, { sent: number; ok: number }>;
  /** Whole answers by status. */
  readonly statuses: Record<string, number>;
  creditedMicros: number;
}

/** At most this many ids are kept. */
const MAX_IDS = 100_000;
const ID = /"(?:impression|click)_id"\s*:\s*"((?:[^"\\]|\\.)*)"/;

export function createTally(): Tally {
  const counts = noCounts();
  const ids = new Set<string>();
  const punctual = { late: 0, dropped: 0 };

  function addId(id: string | undefined): void {
    if (id !== undefined && ids.size <= MAX_IDS) ids.add(id);
  }
  function addPunctuality({ late, dropped }: Punctuality): void {
    punctual.late += late;
    punctual.dropped += dropped;
  }
  return {
    counts,
    ids,
    count(exchange, micros = creditedMicros(exchange.text)) {
      countExchange(counts, exchange, micros);
      if (isOk(exchange)) addId(ID.exec(exchange.text)?.[1]);
    },
    addPunctuality,
    add(other) {
      addCounts(counts, other.counts);
      for (const id of other.ids) addId(id);
      addPunctuality(other.summary());
    },
    summary: () => summaryOf(counts, ids, punctual),
  };
}

export function noCounts(): Counts {
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
    statuses: {},
    creditedMicros: 0,
  };
}

/** `micros`: the credited revenue in the answer. */
export function countExchange(counts: Counts, exchange: ClientExchange, micros: number): void {
  const { operation, outcome, status } = exchange;
  counts.outcomes[outcome] += 1;
  if (operation !== undefined) {
    counts.operations[operation].sent += 1;
    if (isOk(exchange)) counts.operations[operation].ok += 1;
  }
  if (outcome !== "answered") return;
  counts.statuses[status] = (counts.statuses[status] ?? 0) + 1;
  counts.creditedMicros += micros;
}

export function addCounts(to: Counts, from: Counts): void {
  for (const outcome of requestOutcomes) to.outcomes[outcome] += from.outcomes[outcome];
  for (const id of operationIds) {
    to.operations[id].sent += from.operations[id].sent;
    to.operations[id].ok += from.operations[id].ok;
  }
  for (const [status, answers] of Object.entries(from.statuses)) {
    to.statuses[status] = (to.statuses[status] ?? 0) + answers;
  }
  to.creditedMicros += from.creditedMicros;
}

/** What every summary has. */
export function totalsOf({
  outcomes,
  statuses,
  creditedMicros: micros,
}: Counts): Pick<TallySummary, "sent" | "ok" | "refused" | "failed" | "statuses" | "creditedInr"> {
  const answers = (from: number, to: number): number =>
    Object.entries(statuses).reduce(
      (sum, [status, count]) => (Number(status) >= from && Number(status) < to ? sum + count : sum),
      0,
    );
  return {
    sent: requestOutcomes.reduce((sum, outcome) => sum + outcomes[outcome], 0),
    ok: statuses[200] ?? 0,
    refused: answers(400, 500),
    failed: answers(500, Number.POSITIVE_INFINITY),
    statuses: { ...statuses },
    creditedInr: microsToInr(micros),
  };
}

function summaryOf(counts: Counts, ids: ReadonlySet<string>, punctual: Punctuality): TallySummary {
  const { outcomes, operations } = counts;
  const { sent, ok, refused, failed, statuses, creditedInr } = totalsOf(counts);
  const { cut, lost, "timed-out": timedOut } = outcomes;
  const called = operationIds.filter((id) => operations[id].sent > 0);
  return {
    ...{ sent, ok, refused, failed, cut, lost, timedOut, ...punctual, statuses, creditedInr },
    differentIds: ids.size > MAX_IDS ? undefined : ids.size,
    operations: Object.fromEntries(called.map((id) => [id, { ...operations[id] }])),
  };
}

function isOk({ outcome, status }: ClientExchange): boolean {
  return outcome === "answered" && status === 200;
}

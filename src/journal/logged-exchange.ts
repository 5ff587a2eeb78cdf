/** The parts of an exchange that a log shows: no headers, no bodies and no secrets. */

import { formatInstant } from "../base/calendar.ts";
import type { JournalEntry, JournalFault } from "./entry.ts";
import type { JournalRecord } from "./record.ts";
import { withoutSecrets } from "./secrets.ts";
import { limitOf } from "./shown-entry.ts";

/** An exchange as it is concluded. The members mean what they mean in a journal entry. */
export interface LoggedExchange
  extends Pick<JournalEntry["request"], "method" | "path" | "query">,
    Pick<
      JournalEntry,
      "sequence" | "at" | "operation" | "publisher" | "reason" | "producedBy" | "limit"
    > {
  /** 0 where the client is left without a response. */
  readonly status: number;
  readonly fault: Pick<JournalFault, "rule" | "kind"> | undefined;
  /** What is left of the quota, as the answer says it; undefined where no answer was made. */
  readonly remaining: number | undefined;
}

export type ExchangeObserver = (exchange: LoggedExchange) => void;

/** @returns what ends it. One that joins twice is called twice. */
export function join(observers: Set<ExchangeObserver>, observer: ExchangeObserver): () => void {
  const own: ExchangeObserver = (exchange) => observer(exchange);
  observers.add(own);
  return () => void observers.delete(own);
}

export function notifyObservers(
  observers: ReadonlySet<ExchangeObserver>,
  record: JournalRecord,
  sequence: number,
): void {
  const exchange = loggedExchange(record, sequence);
  for (const observe of observers) observe(exchange);
}

function loggedExchange(record: JournalRecord, sequence: number): LoggedExchange {
  const { fault, response } = record;
  const answer = response.status === 0 ? fault?.lost : response;
  const remaining = answer?.headers["x-ratelimit-remaining"];
  return {
    sequence,
    at: formatInstant(record.nowMs),
    method: withoutSecrets(record.method),
    path: withoutSecrets(record.path),
    query: withoutSecrets(record.query),
    status: response.status,
    operation: record.operation,
    publisher: record.publisher,
    reason: record.reason,
    producedBy: record.producedBy,
    limit: limitOf(record),
    fault: fault && { rule: withoutSecrets(fault.rule), kind: fault.kind },
    remaining: remaining === undefined ? undefined : Number(remaining),
  };
}

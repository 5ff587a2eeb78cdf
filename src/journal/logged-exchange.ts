/** The parts of an exchange that a log shows: no headers and no bodies. */

import { formatInstant } from "../base/calendar.ts";
import type { JournalEntry, JournalFault } from "./entry.ts";
import type { JournalRecord } from "./record.ts";
import { assumptionsOf, creditInrOf, limitOf } from "./shown-entry.ts";

/** A concluded exchange. Its members mean the same as in a journal entry. */
export interface LoggedExchange
  extends Pick<JournalEntry["request"], "method" | "path" | "query">,
    Pick<
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
  /** 0 if the client got no response. */
  readonly status: number;
  readonly fault: Pick<JournalFault, "rule" | "kind"> | undefined;
  /** The remaining quota according to the answer; undefined if there is no answer. */
  readonly remaining: number | undefined;
}

export type ExchangeObserver = (exchange: LoggedExchange) => void;

export function loggedExchange(record: JournalRecord, sequence: number): LoggedExchange {
  const { fault, response } = record;
  const answer = response.status === 0 ? fault?.lost : response;
  const remaining = answer?.headers["x-ratelimit-remaining"];
  return {
    sequence,
    at: formatInstant(record.nowMs),
    method: record.method,
    path: record.path,
    query: record.query,
    status: response.status,
    operation: record.operation,
    publisher: record.publisher,
    reason: record.reason,
    effect: record.effect,
    creditInr: creditInrOf(record),
    producedBy: record.producedBy,
    assumptions: assumptionsOf(record),
    limit: limitOf(record),
    fault: fault && { rule: fault.rule, kind: fault.kind },
    remaining: remaining === undefined ? undefined : Number(remaining),
  };
}

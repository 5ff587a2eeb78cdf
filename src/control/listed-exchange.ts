/** An exchange as the log, the events and the inspector list it, without headers and bodies. */

import { type EventValues, eventOf, eventValues } from "../audit/findings/client-event.ts";
import { digestOf } from "../base/digest.ts";
import type { JournalEntry, JournalFault } from "../journal/entry.ts";
import type { JournalRecord } from "../journal/record.ts";
import { shownEntry } from "../journal/shown-entry.ts";

/** Members of a journal entry, and what the events say in addition. */
export interface ListedExchange
  extends Omit<JournalEntry, "request" | "response" | "fault" | "nearest">,
    Pick<JournalEntry["request"], "method" | "path" | "query"> {
  /** 0 if the client got no response. */
  readonly status: number;
  readonly fault: Pick<JournalFault, "rule" | "kind"> | undefined;
  /** The remaining quota according to the answer; undefined if there is no answer. */
  readonly remaining: number | undefined;
  /** The publisher that the request concerns, if that isn't the one whose key was sent. */
  readonly concerns?: string | undefined;
  /**
   * What the request says of its event, at most 250 characters each; `impression_id` of an impression is from the answer.
   * Undefined unless the request is an impression or a click, and can be read.
   */
  readonly event?: EventValues | undefined;
  /** Equal for requests about the same event. Undefined if only the client knows whether they are: without a session. */
  readonly eventKey?: string | undefined;
}

/** An id of the service has at most 200. */
const MAX_CHARACTERS = 250;

export function listedEntry(entry: JournalEntry): ListedExchange {
  const { request, response, fault, nearest: _, ...facts } = entry;
  const { method, path, query } = request;
  const { status } = response;
  const answer = status === 0 ? fault?.lost : response;
  const left = answer?.headers["x-ratelimit-remaining"];
  return {
    ...facts,
    ...{ method, path, query, status },
    fault: fault && { rule: fault.rule, kind: fault.kind },
    remaining: left === undefined ? undefined : Number(left),
  };
}

/** With the members that the log leaves out: which event it is about. */
export function listedExchange(record: JournalRecord, sequence: number): ListedExchange {
  const concerned = record.account?.id;
  const concerns = concerned === record.publisher ? undefined : concerned;
  const exchange = {
    ...listedEntry(shownEntry(record, sequence)),
    ...(concerns !== undefined && { concerns }),
  };
  const values = eventValues(record);
  if (values === undefined) return exchange;
  return { ...exchange, event: shownValues(record, values), eventKey: keyOf(record, values) };
}

/** A digest, because ids may be long. */
function keyOf(record: JournalRecord, values: EventValues): string | undefined {
  const key = eventOf(record, values)?.key;
  return key && digestOf([key]);
}

function shownValues(record: JournalRecord, values: EventValues): EventValues {
  const all = { ...values, impression_id: values.impression_id ?? idInAnswer(record) };
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value.slice(0, MAX_CHARACTERS)]],
    ),
  );
}

function idInAnswer({ effect, response, fault }: JournalRecord): string | undefined {
  if (effect === undefined) return undefined;
  const { body } = fault?.lost ?? response;
  return /"impression_id"\s*:\s*"([^"\\]*)"/.exec(body)?.[1];
}

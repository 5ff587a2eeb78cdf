/** An exchange as the events and the inspector list it: as the log has it, and which event it is about. */

import {
  type EventValues,
  eventOf,
  eventValues,
  isOneEvent,
} from "../audit/findings/client-event.ts";
import { digestOf } from "../base/digest.ts";
import { type LoggedExchange, loggedExchange } from "../journal/logged-exchange.ts";
import type { JournalRecord } from "../journal/record.ts";

/** An exchange without headers and bodies. */
export interface ListedExchange extends LoggedExchange {
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

export function listedExchange(record: JournalRecord, sequence: number): ListedExchange {
  const concerned = record.account?.id;
  const concerns = concerned === record.publisher ? undefined : concerned;
  const exchange = {
    ...loggedExchange(record, sequence),
    ...(concerns !== undefined && { concerns }),
  };
  const values = eventValues(record);
  if (values === undefined) return exchange;
  return { ...exchange, event: shownValues(record, values), eventKey: keyOf(record, values) };
}

/** A digest, because ids may be long. */
function keyOf(record: JournalRecord, values: EventValues): string | undefined {
  const event = eventOf(record, values);
  return event && isOneEvent(event) ? digestOf([event.key]) : undefined;
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

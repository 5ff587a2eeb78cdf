/** An exchange as the events and the inspector list it: as the log has it, and which event it is about. */

import { type EventValues, eventValues } from "../audit/findings/client-event.ts";
import { type LoggedExchange, loggedExchange } from "../journal/logged-exchange.ts";
import type { JournalRecord } from "../journal/record.ts";
import { withoutSecrets } from "../journal/secrets.ts";

/** An exchange without headers and bodies. */
export interface ListedExchange extends LoggedExchange {
  /**
   * What the request says of its event, at most 100 characters each; `impression_id` of an impression is from the answer.
   * Undefined unless the request is an impression or a click, and can be read.
   */
  readonly event?: EventValues | undefined;
}

const MAX_CHARACTERS = 100;

export function listedExchange(record: JournalRecord, sequence: number): ListedExchange {
  const event = eventOf(record);
  return { ...loggedExchange(record, sequence), ...(event && { event }) };
}

function eventOf(record: JournalRecord): EventValues | undefined {
  const values = eventValues(record);
  if (values === undefined) return undefined;
  const all = { ...values, impression_id: values.impression_id ?? idInAnswer(record) };
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, withoutSecrets(value).slice(0, MAX_CHARACTERS)]],
    ),
  );
}

function idInAnswer({ effect, response, fault }: JournalRecord): string | undefined {
  if (effect === undefined) return undefined;
  const { body } = fault?.lost ?? response;
  return /"impression_id"\s*:\s*"([^"\\]*)"/.exec(body)?.[1];
}

/** An exchange and a change by hand as the events, the log and the inspector list them. */

import { type EventValues, eventOf, eventValues } from "../audit/findings/attempt.ts";
import { formatInstant } from "../base/calendar.ts";
import { durationInWords } from "../base/duration.ts";
import { oneLine, orUndefined } from "../base/text.ts";
import { eventIdIn, type JournalEntry, type ShownResponse } from "../journal/entry.ts";
import type { ChangeItem, ExchangeItem, WorldChange } from "../journal/log.ts";
import { shownEntry } from "../journal/shown-entry.ts";

export type ListedEntry = ReturnType<typeof listedEntry>;
export type ListedExchange = ReturnType<typeof listedExchange>;

/** Members of a journal entry without headers and bodies, as the log has them. */
export function listedEntry(entry: JournalEntry) {
  const { request, response, fault, nearest: _, ...facts } = entry;
  const { method, path, query } = request;
  const { headers, body } = answerOf(entry);
  const left = headers["x-ratelimit-remaining"];
  return {
    ...facts,
    // The status is 0 if the client got no response.
    ...{ method, path, query, status: response.status },
    fault: fault && { ...fault, lost: undefined },
    remaining: left === undefined ? undefined : Number(left),
    retryAfter: headers["retry-after"],
    detail: entry.effect === "refused" ? detailIn(body) : undefined,
  };
}

/** The same with what an impression or a click says of its event, if it can be read. */
export function listedExchange({ record, sequence }: ExchangeItem) {
  const entry = shownEntry(record, sequence);
  const concerned = record.account?.id;
  const values = eventValues(record);
  // That of an impression is in the answer.
  const impression_id = values?.impression_id ?? eventIdIn(answerOf(entry), "impression");
  const event: EventValues | undefined = values && { ...values, impression_id };
  return {
    ...listedEntry(entry),
    event,
    /** The publisher that the request concerns, if that isn't the one whose key was sent. */
    concerns: concerned === record.publisher ? undefined : concerned,
    /** Equal for requests about the same event. Undefined if only the client knows whether they are: without a session. */
    eventKey: eventOf(record, values)?.key,
  };
}

/** What the service answered, even if the client didn't get it. */
function answerOf({ response, fault }: JournalEntry): ShownResponse {
  return fault?.lost ?? response;
}

/** Each shape of an error's body has it under another name. */
function detailIn(body: string): string | undefined {
  const [, text] = /"(?:detail|message|error)":("(?:[^"\\]|\\.)*")/.exec(body) ?? [];
  return text && orUndefined(() => JSON.parse(text));
}

export type ShownChange = ReturnType<typeof shownChange>;

export function shownChange({ number, after, atMs, change }: ChangeItem) {
  return { number, after, at: formatInstant(atMs), change, text: changeInWords(change) };
}

/** The change as a sentence without a full stop. */
function changeInWords(change: WorldChange): string {
  switch (change.kind) {
    case "advance":
      return `clock advanced by ${durationInWords(change.byMs)}`;
    case "set-clock":
      return `clock set to ${formatInstant(change.nowMs)}, ${change.mode}`;
    case "assume": {
      const choices = Object.entries(change.assumptions).map(([key, choice]) => `${key}=${choice}`);
      return `assumptions set: ${choices.join(", ")}`;
    }
    case "fault":
      return `fault rule ${oneLine(change.id, 60)} added`;
    case "heal":
      return change.id === undefined
        ? "all fault rules removed"
        : `fault rule ${oneLine(change.id, 60)} removed`;
    case "sign-up":
      return `${oneLine(change.signUp.name ?? "a publisher", 60)} signed up: ${change.publisher}`;
    case "rotate-key":
      return `key of ${change.publisher} rotated`;
    case "set-surface": {
      const { status, cpmRange } = change.change;
      const price = cpmRange && `cpm_range ${cpmRange.join(" to ")}`;
      return `surface ${change.surface}: ${[status, price].filter(Boolean).join(", ")}`;
    }
    case "replace":
      return change.by === "restore" ? "state restored from a snapshot" : "a scenario was played";
  }
}

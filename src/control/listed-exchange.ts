/** An exchange and a change by hand as the events, the log and the inspector list them. */

import { type EventValues, eventOf, eventValues } from "../audit/findings/attempt.ts";
import { formatInstant } from "../base/calendar.ts";
import { durationInWords } from "../base/duration.ts";
import { oneLine, orUndefined } from "../base/text.ts";
import {
  eventIdIn,
  type JournalEntry,
  type JournalFault,
  type ShownResponse,
} from "../journal/entry.ts";
import type { ChangeItem, ExchangeItem, WorldChange } from "../journal/log.ts";
import { shownEntry } from "../journal/shown-entry.ts";

/** Members of a journal entry without headers and bodies, and what the events say in addition. */
export interface ListedExchange
  extends Omit<JournalEntry, "request" | "response" | "fault" | "nearest">,
    Pick<JournalEntry["request"], "method" | "path" | "query"> {
  /** 0 if the client got no response. */
  readonly status: number;
  readonly fault: (Pick<JournalFault, "rule" | "kind"> & Partial<JournalFault>) | undefined;
  /** The remaining quota according to the answer; undefined if there is no answer. */
  readonly remaining: number | undefined;
  /** `Retry-After` of the answer. */
  readonly retryAfter?: string | undefined;
  /** Why it was refused, in the words of the error's body. Undefined if that has none. */
  readonly detail?: string | undefined;
  /** The publisher that the request concerns, if that isn't the one whose key was sent. */
  readonly concerns?: string | undefined;
  /**
   * What the request says of its event; `impression_id` of an impression is from the answer. Undefined unless the request is
   * an impression or a click, and can be read.
   */
  readonly event?: EventValues | undefined;
  /** Equal for requests about the same event. Undefined if only the client knows whether they are: without a session. */
  readonly eventKey?: string | undefined;
}

/** As the log has it, which leaves out the event. */
export function listedEntry(entry: JournalEntry): ListedExchange {
  const { request, response, fault, nearest: _, ...facts } = entry;
  const { method, path, query } = request;
  const { headers, body } = answerOf(entry);
  const left = headers["x-ratelimit-remaining"];
  return {
    ...facts,
    ...{ method, path, query, status: response.status },
    fault: fault && { ...fault, lost: undefined },
    remaining: left === undefined ? undefined : Number(left),
    retryAfter: headers["retry-after"],
    detail: entry.effect === "refused" ? detailIn(body) : undefined,
  };
}

export function listedExchange({
  record,
  sequence,
}: Pick<ExchangeItem, "record" | "sequence">): ListedExchange {
  const entry = shownEntry(record, sequence);
  const concerned = record.account?.id;
  const exchange = {
    ...listedEntry(entry),
    concerns: concerned === record.publisher ? undefined : concerned,
  };
  const values = eventValues(record);
  if (values === undefined) return exchange;
  const { impression_id = eventIdIn(answerOf(entry), "impression") } = values;
  const eventKey = eventOf(record, values)?.key;
  return { ...exchange, event: { ...values, impression_id }, eventKey };
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

export interface ShownChange extends Pick<ChangeItem, "number" | "after" | "change"> {
  /** In ISO 8601 on the world's clock. */
  readonly at: string;
  /** Says the same in words. */
  readonly text: string;
}

export function shownChange({ number, after, atMs, change }: ChangeItem): ShownChange {
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
    case "fault": {
      const { id, rule } = change;
      const verdict = typeof rule === "function" ? "a function" : rule.verdict.kind;
      return `fault rule ${oneLine(id, 60)} added: ${verdict}`;
    }
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

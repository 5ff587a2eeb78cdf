/** An exchange and a change by hand as the events, the log and the inspector list them. */

import { type EventValues, eventOf, eventValues } from "../audit/findings/attempt.ts";
import { formatInstant } from "../base/calendar.ts";
import { digestOf } from "../base/digest.ts";
import { durationInWords } from "../base/duration.ts";
import { oneLine, orUndefined } from "../base/text.ts";
import type { JournalEntry, JournalFault } from "../journal/entry.ts";
import type { ChangeItem, WorldChange } from "../journal/log.ts";
import type { JournalRecord } from "../journal/record.ts";
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
  /** The publisher that the request concerns, if that isn't the one whose key was sent. */
  readonly concerns?: string | undefined;
  /**
   * What the request says of its event, at most 250 characters each; `impression_id` of an impression is from the answer.
   * Undefined unless the request is an impression or a click, and can be read.
   */
  readonly event?: EventValues | undefined;
  /** `Retry-After` of the answer. */
  readonly retryAfter?: string | undefined;
  /** Why it was refused, in the words of the error's body. Undefined if that has none. */
  readonly detail?: string | undefined;
  /** Equal for requests about the same event. Undefined if only the client knows whether they are: without a session. */
  readonly eventKey?: string | undefined;
}

/** An id of the service has at most 200. */
const MAX_CHARACTERS = 250;

/** As the log has it, which leaves out the event. */
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

export function listedExchange(record: JournalRecord, sequence: number): ListedExchange {
  const { effect } = record;
  const concerned = record.account?.id;
  const entry = shownEntry(record, sequence);
  const answer = entry.fault?.lost ?? entry.response;
  const exchange = {
    ...listedEntry(entry),
    fault: entry.fault && { ...entry.fault, lost: undefined },
    ...(concerned !== record.publisher && { concerns: concerned }),
    retryAfter: answer.headers["retry-after"],
    detail: entry.effect === "refused" ? detailIn(answer.body) : undefined,
  };
  const values = eventValues(record);
  if (values === undefined) return exchange;
  const given = /"impression_id"\s*:\s*"([^"\\]*)"/.exec(effect ? answer.body : "")?.[1];
  const ids = Object.entries({ ...values, impression_id: values.impression_id ?? given });
  const event = Object.fromEntries(ids.map(([name, id]) => [name, id?.slice(0, MAX_CHARACTERS)]));
  const key = eventOf(record, values)?.key;
  // A digest, because ids may be long.
  return { ...exchange, event, eventKey: key && digestOf([key]) };
}

/** Each shape of an error's body has it under another name. */
function detailIn(body: string): string | undefined {
  const [, text] = /"(?:detail|message|error)":("(?:[^"\\]|\\.)*")/.exec(body) ?? [];
  return text && orUndefined(() => JSON.parse(text).slice(0, MAX_CHARACTERS));
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

const shortName = (name: string): string => oneLine(name, 60);

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
      return `fault rule ${shortName(id)} added: ${verdict}`;
    }
    case "heal":
      return change.id === undefined
        ? "all fault rules removed"
        : `fault rule ${shortName(change.id)} removed`;
    case "sign-up":
      return `${shortName(change.signUp.name ?? "a publisher")} signed up: ${change.publisher}`;
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

/** Filters events: validates the expected fields, matches them exactly, and ranks other events by closeness. */

import * as v from "valibot";
import { formatInstant, parseInstant } from "../base/calendar.ts";
import { editDistance, formatList } from "../base/did-you-mean.ts";
import { given } from "../base/given.ts";
import { parseInput } from "../base/input.ts";
import { instantText, wholeFrom } from "../base/schemas.ts";
import type { EventKind } from "../spec/operations.ts";
import { quoted } from "./check.ts";
import { type EventRequest, msOf, type Since } from "./events.ts";

/** An impression to expect on record. Every given field must match. */
export interface ImpressionMatch extends Since {
  /** The publisher's id. */
  readonly publisher?: string | undefined;
  /** The surface's id. */
  readonly surface?: string | undefined;
  /** The spec's `ad_id`. */
  readonly ad?: string | undefined;
  /** The spec's `session_id`. */
  readonly session?: string | undefined;
  /** The `impression_id`. */
  readonly id?: string | undefined;
  /** The exact number of matches. @default at least one */
  readonly times?: number | undefined;
}

/** A click to expect on record. `surface`, `ad` and `session` are those of its impression. */
export interface ClickMatch extends Omit<ImpressionMatch, "id"> {
  /** The `click_id`. */
  readonly id?: string | undefined;
  /** The `impression_id` that is clicked. */
  readonly impression?: string | undefined;
}

/** In the order in which they are shown. */
export const comparedFields: readonly ComparedField[] = [
  "id",
  "impression",
  "ad",
  "surface",
  "session",
  "publisher",
];

type ComparedField = "id" | "impression" | "ad" | "surface" | "session" | "publisher";

export interface EventFilter {
  /** Only the fields that were given. */
  readonly wanted: Readonly<Partial<Record<ComparedField, string>>>;
  readonly times: number | undefined;
  readonly sinceMs: number | undefined;
  readonly after: number | undefined;
  /** Whether it came after `sinceMs` and `after`. */
  isInTime(event: EventRequest): boolean;
}

const text = v.pipe(v.string("must be a string"), v.minLength(1, "must not be empty"));

export const afterSchema: v.OptionalSchema<
  v.GenericSchema<unknown, number>,
  undefined
> = v.optional(wholeFrom(0, ": the sequence of a journal entry"));

const entries = {
  publisher: v.optional(text),
  surface: v.optional(text),
  ad: v.optional(text),
  session: v.optional(text),
  id: v.optional(text),
  times: v.optional(wholeFrom(0)),
  since: v.optional(instantText),
  after: afterSchema,
};
const schemas = {
  impression: v.strictObject(entries),
  click: v.strictObject({ ...entries, impression: v.optional(text) }),
};

/** @throws InputError that names the invalid field. */
export function readEventFilter(kind: EventKind, filter: unknown): EventFilter {
  const { times, since, after, ...fields } = parseInput(schemas[kind], filter, kind);
  return { wanted: given(fields), times, ...timeOf({ since, after }) };
}

export function timeOf({
  since,
  after,
}: Since): Pick<EventFilter, "sinceMs" | "after" | "isInTime"> {
  const sinceMs = since === undefined ? undefined : parseInstant(since);
  return {
    sinceMs,
    after,
    isInTime: (event) =>
      event.sequence > (after ?? 0) && (sinceMs === undefined || msOf(event) >= sinceMs),
  };
}

/** The wanted fields that an event has other values for. An event that isn't on record has no `id`. */
export function differingFields({ wanted }: EventFilter, event: EventRequest): ComparedField[] {
  return comparedFields.filter((name) => {
    const value = wanted[name];
    return value !== undefined && value !== memberOf(event, name);
  });
}

export function memberOf(event: EventRequest, name: ComparedField): string | undefined {
  return name === "id" ? event.recorded?.id : event[name];
}

/** The closest first; of two that are equally close, the later. */
export function byCloseness(filter: EventFilter, events: readonly EventRequest[]): EventRequest[] {
  const scored = events.map((event) => {
    const names = differingFields(filter, event);
    const apart = names.map((name) =>
      editDistance(filter.wanted[name] ?? "", memberOf(event, name) ?? ""),
    );
    return { event, differ: names.length, apart: apart.reduce((sum, one) => sum + one, 0) };
  });
  scored.sort(
    (a, b) => a.differ - b.differ || a.apart - b.apart || b.event.sequence - a.event.sequence,
  );
  return scored.map(({ event }) => event);
}

/** ` with ad "a" and surface "b", after #12`, or nothing. */
export function filterText(filter: EventFilter): string {
  const { wanted } = filter;
  const named = comparedFields.flatMap((name) =>
    wanted[name] === undefined ? [] : [`${name} ${quoted(wanted[name])}`],
  );
  return `${named.length === 0 ? "" : ` with ${formatList(named)}`}${timeText(filter)}`;
}

export function timeText({ sinceMs, after }: Pick<EventFilter, "sinceMs" | "after">): string {
  const from = after === undefined ? "" : `, after #${after}`;
  return sinceMs === undefined ? from : `${from}, since ${formatInstant(sinceMs)}`;
}

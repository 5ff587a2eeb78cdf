/** Checks which impressions and clicks are on record, whatever answers their clients got, and what was credited for them. */

import * as v from "valibot";
import { eventValues } from "../audit/findings/attempt.ts";
import { formatInstant, parseInstant } from "../base/calendar.ts";
import { counted } from "../base/counted.ts";
import { parseInput } from "../base/input.ts";
import { formatInr, microsToInr, nearestMicros } from "../base/money.ts";
import { given } from "../base/plain-data.ts";
import { instantText, numberBetween, strictObject, wholeFrom } from "../base/schemas.ts";
import { isRecorded } from "../exchange/operations/outcome.ts";
import { creditOf } from "../invariants/answers.ts";
import type { JournalEntry } from "../journal/entry.ts";
import type { SimulatorCore } from "../simulator/core.ts";
import { type EventKind, isEventKind } from "../spec/operations.ts";
import {
  afterSchema,
  assertJournalWhole,
  type Check,
  check,
  conditionsText,
  readSim,
  requestTable,
} from "./check.ts";

const sinceSchema = strictObject({
  /** Only events at or after this time of the world's clock, in ISO 8601. @default the beginning */
  since: v.optional(instantText),
  ...afterSchema.entries,
});
const text = v.optional(v.pipe(v.string("must be a string"), v.minLength(1, "must not be empty")));
const place = {
  /** The publisher's id. @default any */
  publisher: text,
  /** The surface's id. @default any */
  surface: text,
};
const impressionMatch = strictObject({
  /** The spec's `ad_id`. */
  ad: text,
  /** The spec's `session_id`. */
  session: text,
  /** The `impression_id` or `click_id` in the answer. */
  id: text,
  ...place,
  /** The exact number of matches. @default at least one */
  times: v.optional(wholeFrom(0)),
  ...sinceSchema.entries,
});
const clickMatch = strictObject({
  ...impressionMatch.entries,
  /** The `impression_id` that is clicked. */
  impression: text,
});
export const amountSchema = numberBetween(0, 9e9, "number of INR");
const amountOnly = strictObject({ amountInr: amountSchema });
const creditedWhere = strictObject({
  ...place,
  /** @default both */
  events: v.optional(v.picklist(["impressions", "clicks"])),
  ...sinceSchema.entries,
});

/** Where to start looking. */
export interface Since extends v.InferOutput<typeof sinceSchema> {}
/** An impression to expect on record. Every given field must match. */
export interface ImpressionMatch extends v.InferOutput<typeof impressionMatch> {}
/** A click to expect on record. `surface`, `ad` and `session` are those of its impression. */
export interface ClickMatch extends v.InferOutput<typeof clickMatch> {}
/** Which credits to sum. Every given condition must hold. */
export interface CreditedWhere extends v.InferOutput<typeof creditedWhere> {}

export function recordedImpression(sim: unknown, match: ImpressionMatch = {}): Check {
  return recorded("impression", sim, parseInput(impressionMatch, match, "impression"));
}

export function recordedClick(sim: unknown, match: ClickMatch = {}): Check {
  return recorded("click", sim, parseInput(clickMatch, match, "click"));
}

function recorded(kind: EventKind, value: unknown, { times, ...match }: ClickMatch): Check {
  const { sim, came, matching, wanted, text, inJournal } = findEvents(value, kind, match);
  const count = matching.length;
  assertJournalWhole(sim, { after: match.after, inJournal, isCertain: count > (times ?? 0) });
  const closest = came.find(({ id }) => id !== undefined);
  const actual = closest && Object.fromEntries(wanted.map(([name]) => [name, closest[name]]));
  const one = kind === "click" ? "a click" : "an impression";
  const expected = `${times === undefined ? one : counted(times, kind)} on record${text}`;
  return check({
    pass: times === undefined ? count > 0 : count === times,
    expected: { ...Object.fromEntries(wanted), ...given({ times }) },
    actual: times === undefined ? actual : { ...actual, times: count },
    says: [expected, count === 0 ? "there is none" : `found ${count}`],
    lines: () =>
      came.length > 0
        ? [`Came (${counted(came.length, kind)}, the most alike first):`, ...eventLines(came)]
        : [`To do: no ${kind} request came. Check the client's base URL, and that the test waits.`],
  });
}

/** The ledger has exact sums by publisher. For a surface or a time it sums what the answers show, which may be rounded. */
export function credited(value: unknown, amount: number, where: CreditedWhere = {}): Check {
  const { amountInr } = parseInput(amountOnly, { amountInr: amount });
  const { events, ...match } = parseInput(creditedWhere, where, "where");
  const kind = events === "clicks" ? "click" : events && "impression";
  const { sim, matching, text, inJournal } = findEvents(value, kind, match);
  const { publisher, surface, since, after } = match;
  const isFromAnswers = (surface ?? since ?? after) !== undefined;
  if (isFromAnswers) assertJournalWhole(sim, { after, inJournal, isCertain: false });
  const amounts = isFromAnswers
    ? matching.map(({ micros = 0 }) => micros)
    : sim
        .audit()
        .publishers.filter((one) => (publisher ?? one.publisher) === one.publisher)
        .map((one) => nearestMicros((events ? one[events] : one).creditedRecordedInr));
  const actual = amounts.reduce((sum, one) => sum + one, 0);
  const more = actual - nearestMicros(amountInr);
  return check({
    pass: more === 0,
    expected: amountInr,
    actual: microsToInr(actual),
    says: [
      `${amountInr} INR credited for ${events ?? "all events"}${text}`,
      `it is ${formatInr(actual)} INR, ${formatInr(Math.abs(more))} ${more > 0 ? "more" : "less"}`,
    ],
    lines: () => eventLines(matching),
  });
}

/** `id` is undefined if it isn't on record. `impression` is the one that a click names, whose ad, surface and session it has. */
type EventFields = Omit<ClickMatch, "times" | keyof Since>;

/** A request to record an event. */
interface JournalEvent extends EventFields {
  readonly kind: EventKind;
  readonly entry: JournalEntry;
  /** The credit, in micro-INR. */
  readonly micros: number | undefined;
}

/** All events that the journal still holds, oldest first. */
function eventsOf(sim: SimulatorCore): JournalEvent[] {
  const impressions = new Map<string, EventFields>();
  return sim.journal.entries({ secrets: "shown" }).flatMap((entry): JournalEvent[] => {
    const { operation: kind, fault, response, reason } = entry;
    if (!isEventKind(kind)) return [];
    const sent = eventValues({ ...entry.request, operation: kind }) ?? {};
    const clicked = impressions.get(sent.impression_id ?? "");
    // The service's own answer, even if the client didn't get it.
    const { status, body } = fault?.lost ?? response;
    const isServed = fault?.served !== false && isRecorded(reason);
    const { id, micros } = (isServed && creditOf({ status, text: body }, kind)) || {};
    const event: JournalEvent = {
      ...{ kind, entry, id, micros, impression: sent.impression_id },
      ad: sent.ad_id ?? clicked?.ad,
      surface: sent.surface ?? clicked?.surface,
      session: sent.session_id ?? clicked?.session,
      publisher: sent.publisher_id ?? clicked?.publisher ?? entry.publisher,
    };
    if (id !== undefined && kind === "impression") impressions.set(id, event);
    return [event];
  });
}

/** Looks for events of a kind, or of both. */
function findEvents(
  value: unknown,
  kind: EventKind | undefined,
  { since, after, ...fields }: Since & EventFields,
) {
  const sim = readSim(value, { ...fields, after });
  // It has only these fields, and each is a text.
  const wanted = Object.entries(given(fields)) as [keyof EventFields, string][];
  const differing = (event: JournalEvent): number =>
    wanted.filter(([name, text]) => event[name] !== text).length;
  const from = since === undefined ? "" : formatInstant(parseInstant(since) ?? 0);
  const all = eventsOf(sim);
  // Those with most of the wanted fields first; of equals the latest.
  const came = all
    .filter((event) => kind === undefined || event.kind === kind)
    .filter(({ entry }) => entry.sequence > (after ?? 0) && entry.at >= from)
    .reverse()
    .sort((a, b) => differing(a) - differing(b));
  return {
    ...{ sim, wanted, came },
    matching: came.filter((event) => event.id !== undefined && differing(event) === 0),
    text: conditionsText({ ...fields, after, since }),
    inJournal: all.filter(({ id }) => id !== undefined).length,
  };
}

function eventLines(events: readonly JournalEvent[]): string[] {
  const rows = events.map(({ entry, id, impression, ad, surface, session, micros }) => {
    const credit = micros === undefined ? undefined : `${formatInr(micros)} INR`;
    return [entry, id, impression, ad, surface, session, credit] as const;
  });
  return requestTable(rows);
}

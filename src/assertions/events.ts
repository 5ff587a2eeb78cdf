/** Reads impressions and clicks from the journal: those on record, those that aren't, and whether any are missing. */

import { eventValues } from "../audit/findings/client-event.ts";
import { parseInstant } from "../base/calendar.ts";
import { isRecorded } from "../exchange/operations/outcome.ts";
import { creditOf } from "../invariants/answers.ts";
import type { JournalEntry } from "../journal/entry.ts";
import type { SimulatorCore } from "../simulator/core.ts";
import { type EventKind, isEventKind } from "../spec/operations.ts";

/** A request to record an event. A click's ad, surface and session are known if the journal has its impression. */
export interface EventRequest {
  readonly kind: EventKind;
  readonly sequence: number;
  /** When it came, in ISO 8601 on the world's clock. */
  readonly at: string;
  readonly publisher: string | undefined;
  readonly surface: string | undefined;
  readonly ad: string | undefined;
  readonly session: string | undefined;
  /** For a click: the impression's id, as sent. */
  readonly impression: string | undefined;
  /** Undefined if it isn't on record. */
  readonly recorded: { readonly id: string; readonly micros: number } | undefined;
  readonly entry: JournalEntry;
}

/** All events that the journal still holds, oldest first. */
export function eventsOf(sim: SimulatorCore): EventRequest[] {
  const impressions = new Map<string, EventRequest>();
  return sim.journal.entries({ secrets: "shown" }).flatMap((entry) => {
    const { sequence, at, operation } = entry;
    if (!isEventKind(operation)) return [];
    const values = eventValues({ ...entry.request, operation }) ?? {};
    const on =
      values.impression_id === undefined ? undefined : impressions.get(values.impression_id);
    const event: EventRequest = {
      kind: operation,
      sequence,
      at,
      publisher: values.publisher_id ?? on?.publisher ?? entry.publisher,
      surface: values.surface ?? on?.surface,
      ad: values.ad_id ?? on?.ad,
      session: values.session_id ?? on?.session,
      impression: values.impression_id,
      recorded: recordOf(entry, operation),
      entry,
    };
    if (event.recorded !== undefined && operation === "impression") {
      impressions.set(event.recorded.id, event);
    }
    return [event];
  });
}

/** From the service's own answer, even if the client didn't get it. */
function recordOf(
  { fault, response, reason }: JournalEntry,
  kind: EventKind,
): EventRequest["recorded"] {
  if (fault?.served === false || !isRecorded(reason)) return undefined;
  const { status, body } = fault?.lost ?? response;
  return creditOf({ status, text: body }, kind);
}

/** Where to start looking. */
export interface Since {
  /** Only events at or after this time of the world's clock, in ISO 8601. @default the beginning */
  readonly since?: string | undefined;
  /** Only requests after this journal entry, such as an earlier `sim.journal.total`. @default 0 */
  readonly after?: number | undefined;
}

/** Why the journal doesn't match the record. */
export interface JournalGap {
  /** `forgotten`: it lacks events on record. `undone`: it has events that are no longer on record. */
  readonly kind: "forgotten" | "undone";
  /** For an InputError on the field "journal". */
  readonly text: string;
}

/** Undefined if the journal has all events in the range. */
export function journalGapOf(
  sim: SimulatorCore,
  events: readonly EventRequest[],
  { sinceMs, after }: { readonly sinceMs: number | undefined; readonly after: number | undefined },
): JournalGap | undefined {
  const { journal } = sim;
  if (after !== undefined && journal.total - journal.kept <= after) return undefined;
  const { impressions, clicks } = sim.audit().total;
  const applied = impressions.applied + clicks.applied;
  const held = events.filter(({ recorded }) => recorded !== undefined).length;
  if (held === applied) return undefined;
  if (held > applied) {
    return {
      kind: "undone",
      text: `has ${held} events, but ${applied} are on record: restoring a snapshot undid the others, and which ones is unknown. Call sim.journal.clear() after a restore, or pass \`after\``,
    };
  }
  const [first] = events;
  const isBefore = sinceMs !== undefined && first !== undefined && msOf(first) < sinceMs;
  if (isBefore) return undefined;
  return {
    kind: "forgotten",
    text: `holds only ${held} of the ${applied} events on record, so this can't be checked: it is off, was cleared, holds only the latest (journalEntries), or the others came before a fork or a snapshot. Pass \`after\` or \`since\` to check only what it holds`,
  };
}

/** When it came, in milliseconds since 1970. */
export function msOf({ at }: { readonly at: string }): number {
  return parseInstant(at) ?? Number.NaN;
}

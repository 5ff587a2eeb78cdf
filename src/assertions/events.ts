/** Impressions and clicks as the journal tells of them: those on record, those that aren't, and whether it tells of all. */

import { eventValues } from "../audit/findings/client-event.ts";
import { parseInstant } from "../base/calendar.ts";
import { nearestMicros } from "../base/money.ts";
import { isRecorded } from "../exchange/operations/outcome.ts";
import type { JournalEntry } from "../journal/entry.ts";
import type { SimulatorCore } from "../simulator/simulator.ts";

export type EventKind = "impression" | "click";

/** A request to record something, and what became of it. What a click is on is known where the journal has the impression. */
export interface EventRequest {
  readonly kind: EventKind;
  readonly sequence: number;
  /** When, in ISO 8601 on the world's clock. */
  readonly at: string;
  readonly publisher: string | undefined;
  readonly surface: string | undefined;
  readonly ad: string | undefined;
  readonly session: string | undefined;
  /** Of a click: the impression's id, as it was sent. */
  readonly impression: string | undefined;
  /** Undefined where it isn't on record. */
  readonly recorded: { readonly id: string; readonly micros: number } | undefined;
  readonly entry: JournalEntry;
}

/** All that the journal still holds, oldest first. */
export function eventsOf(sim: SimulatorCore): EventRequest[] {
  const impressions = new Map<string, EventRequest>();
  return sim.journal.entries({ secrets: "shown" }).flatMap((entry) => {
    const { sequence, at, operation } = entry;
    if (operation !== "impression" && operation !== "click") return [];
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
      recorded: recordOf(entry),
      entry,
    };
    if (event.recorded !== undefined && operation === "impression") {
      impressions.set(event.recorded.id, event);
    }
    return [event];
  });
}

/** What the service itself answered, whether its client got that or not. */
function recordOf({ fault, response, reason }: JournalEntry): EventRequest["recorded"] {
  if (fault?.served === false || !isRecorded(reason)) return undefined;
  const { body } = fault?.lost ?? response;
  const answer: Readonly<Record<string, unknown>> = JSON.parse(body);
  const id = answer.impression_id ?? answer.click_id;
  return { id: String(id), micros: nearestMicros(Number(answer.revenue_credited_inr)) };
}

/** From where on events are looked at. */
export interface Since {
  /** An instant of the world's clock, in ISO 8601. @default the beginning */
  readonly since?: string | undefined;
  /** The sequence of a journal entry: only what came after it. Such as `sim.journal.total` was. @default 0 */
  readonly after?: number | undefined;
}

/** Why the journal can't tell of all events. */
export interface JournalGap {
  /** `undone`: it tells of some that are no longer on record. */
  readonly kind: "forgotten" | "undone";
  /** In the words of an InputError on the journal. */
  readonly text: string;
}

/** Undefined where the journal tells of all that is looked at. */
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
      text: `tells of ${held} events, and ${applied} are on record: the others were undone by restoring a snapshot, so it can't be told which are left. Call sim.journal.clear() after a restore, or say \`after\``,
    };
  }
  const [first] = events;
  const isBefore = sinceMs !== undefined && first !== undefined && msOf(first) < sinceMs;
  if (isBefore) return undefined;
  return {
    kind: "forgotten",
    text: `holds ${held} of the ${applied} events on record, so it can't be told: it is off, was cleared, keeps only the latest (journalEntries, journalBytes), or they are from before a fork or a snapshot. Say \`after\` or \`since\` to look only at what it holds`,
  };
}

/** When it came, in milliseconds since 1970. */
export function msOf({ at }: { readonly at: string }): number {
  return parseInstant(at) ?? Number.NaN;
}

/** Shows events in tables: those on record, and those that aren't with the reason. */

import { formatInr } from "../base/money.ts";
import { notes } from "../exchange/operations/outcome.ts";
import type { JournalEntry } from "../journal/entry.ts";
import type { EventKind } from "../spec/operations.ts";
import { cell, MAX_ROWS, table } from "./check.ts";
import type { EventRequest } from "./events.ts";

/** Events on record, in the order given. */
export function eventTable(kind: EventKind, events: readonly EventRequest[]): string[] {
  const ids = kind === "click" ? ["click", "impression"] : ["impression"];
  const shown = events.slice(0, MAX_ROWS);
  const someLost = shown.some(({ entry }) => entry.fault?.lost !== undefined);
  const head = ["#", "at", ...ids, "ad", "surface", "session", "credited"];
  const rows = shown.map((event) => {
    const { sequence, at, ad, surface, session, impression, recorded, entry } = event;
    const own = kind === "click" ? [cell(recorded?.id), cell(impression)] : [cell(recorded?.id)];
    const credited = `${formatInr(recorded?.micros ?? 0)} INR`;
    const named = [cell(ad), cell(surface), cell(session)];
    return [`#${sequence}`, at, ...own, ...named, credited, ...(someLost ? [answerOf(entry)] : [])];
  });
  return [
    ...table([[...head, ...(someLost ? ["answer"] : [])], ...rows]),
    ...more(events.length - MAX_ROWS),
  ];
}

/** Events that aren't on record, with the reason. */
export function notRecordedLines(events: readonly EventRequest[]): string[] {
  const rows = events
    .slice(0, MAX_ROWS)
    .map(({ sequence, at, ad, impression, entry }) => [
      `#${sequence}`,
      at,
      cell(ad ?? impression),
      refusalText(entry),
    ]);
  return [...table(rows), ...more(events.length - MAX_ROWS)];
}

function more(count: number): string[] {
  return count > 0 ? [`  and ${count} more`] : [];
}

/** Whether the answer reached the client. */
function answerOf({ fault }: JournalEntry): string {
  return fault?.lost === undefined ? "arrived" : `lost (rule "${fault.rule}", ${fault.kind})`;
}

/** Why a request isn't on record. */
function refusalText({ fault, producedBy, response, reason }: JournalEntry): string {
  const by = fault === undefined ? "" : ` (rule "${fault.rule}", ${fault.kind})`;
  if (fault?.served === false) {
    return fault.received === "nothing"
      ? `dropped before the service saw it${by}`
      : `answered ${response.status} in the service's place${by}`;
  }
  const { status } = fault?.lost ?? response;
  if (producedBy === "limit") return `refused with ${status} by the request limit${by}`;
  if (reason === notes.duplicate) {
    return `answered ${status}: ${reason}${by}`;
  }
  return `refused with ${status}: ${reason}${by}`;
}

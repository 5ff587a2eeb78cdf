/** Reports how a client used the API and what it did wrong. The journal's records are its only source. */

import { formatInstant } from "../base/calendar.ts";
import type { ClockMode } from "../base/clock.ts";
import { groupedBy } from "../base/grouped-by.ts";
import { oneLine } from "../base/text.ts";
import type { WorldJournal } from "../journal/journal.ts";
import { PREFLIGHT } from "../journal/record.ts";
import { shownEntry } from "../journal/shown-entry.ts";
import { type Attempt, attemptsOf } from "./findings/attempt.ts";
import {
  type Finding,
  type FindingId,
  type FindingKind,
  findingIds,
  type Offence,
} from "./findings/finding.ts";
import { lostEvents } from "./findings/lost-events.ts";
import { pausesDoNotGrow, repeats } from "./findings/retries.ts";
import { singleRequests } from "./findings/single-requests.ts";
import { stops } from "./findings/stops.ts";

/** What a world's clients did. Well-behaved clients have no findings. */
export interface ClientReport {
  /** All requests, including those that the journal no longer holds. */
  readonly requests: number;
  /** Requests that the journal still holds. The fields below cover only these; findings also leave out preflights. */
  readonly kept: number;
  /** How many of those a fault rule applied a second time. No client sent them, so the fields below leave them out. */
  readonly copies: number;
  /** When the first of those came, in ISO 8601 on the world's clock; undefined if there is none. */
  readonly from: string | undefined;
  /** When the last of them came. */
  readonly until: string | undefined;
  /**
   * Operation → status → requests. `none`: reached no operation. `preflight`: sent by a browser before a page's request.
   * Status 0: got no answer.
   */
  readonly operations: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Fault rule → how many requests it acted on. */
  readonly faults: Readonly<Record<string, number>>;
  /** Sentences that say what could not be judged, and why. */
  readonly notes: readonly string[];
  /** Findings that cost money come first. */
  readonly findings: readonly Finding[];
}

const findingKinds: Readonly<Record<FindingId, FindingKind>> = {
  ...lostEvents,
  ...singleRequests,
  ...stops,
  ...repeats,
  "pauses-do-not-grow": pausesDoNotGrow,
};

const MAX_PROOF = 3;
const MAX_SEQUENCES = 1000;
const MAX_PATH_SHOWN = 100;

/** `mode`: the clock's mode now. */
export function reportOf(journal: WorldJournal, mode: ClockMode): ClientReport {
  const { total: requests, kept } = journal;
  const items = journal.exchanges();
  const [from, until] = [items[0], items.at(-1)].map(
    (item) => item && formatInstant(item.record.nowMs),
  );
  const attempts = attemptsOf(journal.items(), mode);
  // Browsers send preflights, not clients.
  const judged = attempts.filter(({ record }) => record.reason !== PREFLIGHT);
  const operations = groupedBy(attempts, operationOf);
  const states = [...groupedBy(judged, ({ state }) => state).values()];
  const offences = findingIds.flatMap((id) =>
    states.flatMap((own) => findingKinds[id].find(own, judged).map((one) => ({ ...one, id }))),
  );
  return {
    ...{ requests, kept, copies: kept - attempts.length, from, until },
    operations: Object.fromEntries(
      Array.from(operations, ([name, own]) => [name, countsOf(own, (one) => one.response.status)]),
    ),
    faults: countsOf(attempts, ({ fault }) => fault?.rule),
    notes: notesOn(attempts, requests, kept),
    findings: Array.from(
      groupedBy(offences, ({ id }) => id),
      ([id, own]) => findingOf(id, own),
    ),
  };
}

function operationOf({ record: { operation, reason } }: Attempt): string {
  return operation ?? (reason === PREFLIGHT ? PREFLIGHT : "none");
}

function countsOf(
  attempts: readonly Attempt[],
  nameOf: (record: Attempt["record"]) => string | number | undefined,
): Record<string, number> {
  // A rule can have any name, even "__proto__".
  const groups = groupedBy(attempts, ({ record }) => nameOf(record));
  return Object.fromEntries([...groups].map(([name, { length }]) => [name, length]));
}

function notesOn(attempts: readonly Attempt[], requests: number, kept: number): string[] {
  const notes: string[] = [];
  if (kept < requests) {
    notes.push(
      `The journal has only the last ${kept} of ${requests} requests. Others weren't judged.`,
    );
  }
  const untimed = attempts.filter(({ timeline }) => timeline === undefined).length;
  if (untimed > 0) {
    notes.push(
      `The world's clock was frozen at ${untimed} of ${attempts.length} requests. Pauses aren't judged there (Retry-After, hot loops and back-off), not even those that the test made by moving the clock.`,
    );
  }
  return notes;
}

function findingOf(id: FindingId, offences: readonly [Offence, ...Offence[]]): Finding {
  const { title, explanation, spec } = findingKinds[id];
  const ordered = offences.toSorted((a, b) => a.attempt.sequence - b.attempt.sequence);
  const attempts = ordered.map(({ attempt }) => attempt);
  const senders = groupedBy(attempts, ({ record }) => record.publisher ?? "");
  return {
    ...{ id, title, count: offences.length, explanation, spec },
    who: Array.from(senders, ([publisher, { length: count }]) => ({
      publisher: publisher || undefined,
      count,
    })).sort((a, b) => b.count - a.count),
    example: exampleOf(ordered[0] ?? offences[0]),
    proof: attempts.slice(0, MAX_PROOF).map(({ record, sequence }) => shownEntry(record, sequence)),
    sequences: attempts.slice(0, MAX_SEQUENCES).map(({ sequence }) => sequence),
  };
}

/** The request, its answer, and what was wrong, on one line. */
function exampleOf({ attempt, cause, detail }: Offence): string {
  const { record, sequence } = cause ?? attempt;
  const { at, request, response } = shownEntry(record, sequence);
  const shown = oneLine(`${request.method} ${request.path}`, MAX_PATH_SHOWN);
  const answer = response.status === 0 ? "no answer" : response.status;
  return `#${sequence} ${at} ${shown} → ${answer}, ${detail}`;
}

/** Reports how a client used the API and what it did wrong. The journal's records are its only source. */

import { formatInstant } from "../base/calendar.ts";
import type { ClockMode } from "../base/clock.ts";
import { counted } from "../base/counted.ts";
import { groupedBy } from "../base/grouped-by.ts";
import { oneLine } from "../base/text.ts";
import type { JournalEntry } from "../journal/entry.ts";
import type { WorldJournal } from "../journal/journal.ts";
import type { ChangeItem } from "../journal/log.ts";
import { PREFLIGHT } from "../journal/record.ts";
import { shownEntry } from "../journal/shown-entry.ts";
import { type Attempt, type AttemptHistory, attemptsOf, type Era } from "./findings/attempts.ts";
import { beforeRetryAfter } from "./findings/before-retry-after.ts";
import { continuesAfter401 } from "./findings/continues-after-401.ts";
import { eventInTwoSessions } from "./findings/event-in-two-sessions.ts";
import {
  type Finding,
  type FindingId,
  type FindingKind,
  findingIds,
  type Offence,
} from "./findings/finding.ts";
import { hotLoop } from "./findings/hot-loop.ts";
import { failedAndNeverSentAgain, lostAndSentAgainWithoutSession } from "./findings/lost-events.ts";
import { pausesDoNotGrow } from "./findings/pauses-do-not-grow.ts";
import { refusedAndSentAgain } from "./findings/refused-and-sent-again.ts";
import {
  clickOnUnknownImpression,
  impressionWithoutSession,
  keyInUrl,
  limitAboveMaximum,
  noSuchOperation,
} from "./findings/single-requests.ts";
import { perhapsSentAfter, sentAfter } from "./in-flight.ts";

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
  "event-in-two-sessions": eventInTwoSessions,
  "lost-and-sent-again-without-session": lostAndSentAgainWithoutSession,
  "failed-and-never-sent-again": failedAndNeverSentAgain,
  "key-in-url": keyInUrl,
  "continues-after-401": continuesAfter401,
  "before-retry-after": beforeRetryAfter,
  "hot-loop": hotLoop,
  "pauses-do-not-grow": pausesDoNotGrow,
  "refused-and-sent-again": refusedAndSentAgain,
  "click-on-unknown-impression": clickOnUnknownImpression,
  "impression-without-session": impressionWithoutSession,
  "no-such-operation": noSuchOperation,
  "limit-above-maximum": limitAboveMaximum,
};

const MAX_PROOF = 3;
const MAX_SEQUENCES = 1000;
const MAX_PUBLISHERS = 20;

/** `mode`: the clock's mode now. */
export function reportOf(journal: WorldJournal, mode: ClockMode): ClientReport {
  const items = journal.exchanges();
  const requests = journal.total;
  const eras = erasOf(journal.changes());
  const now: Era = { last: requests, isFrozen: mode === "frozen", end: "clock" };
  const attempts = attemptsOf(items, [...eras, now]);
  // Browsers send preflights, not clients.
  const judged = attempts.filter(({ record }) => record.reason !== PREFLIGHT);
  const histories = historiesOf(judged, eras);
  const ends = [items[0], items.at(-1)];
  const [from, until] = ends.map((item) => item && formatInstant(item.record.nowMs));
  const findings: Finding[] = [];
  for (const id of findingIds) {
    const offences = histories.flatMap((history) => findingKinds[id].find(history));
    if (offences.length > 0) findings.push(findingOf(id, offences));
  }
  return {
    requests,
    kept: items.length,
    copies: items.length - attempts.length,
    from,
    until,
    operations: operationsOf(attempts),
    faults: faultsOf(attempts),
    notes: [
      ...notesOn(attempts, requests - items.length + 1, items.length),
      ...doubtNotes(histories),
    ],
    findings,
  };
}

/** Where the clock changed its mode or the state was replaced: pauses across such a change can't be judged. */
function erasOf(changes: readonly ChangeItem[]): Era[] {
  return changes.flatMap(({ after: last, change }): Era[] => {
    if (change.kind === "replace")
      return [{ last, isFrozen: change.was === "frozen", end: "state" }];
    const isOther = change.kind === "set-clock" && change.mode !== change.was;
    return isOther ? [{ last, isFrozen: change.was === "frozen", end: "clock" }] : [];
  });
}

/** A history ends where the world's state was replaced: nothing before that explains what comes after. */
function historiesOf(attempts: readonly Attempt[], eras: readonly Era[]): AttemptHistory[] {
  const ends = eras.filter(({ end }) => end === "state").map(({ last }) => last);
  const histories: AttemptHistory[] = [];
  let start = 0;
  for (const last of [...ends, Number.POSITIVE_INFINITY]) {
    const from = start;
    while (start < attempts.length && (attempts[start]?.sequence ?? 0) <= last) start += 1;
    if (start === from) continue;
    const earlier = (): readonly Attempt[] => attempts.slice(0, from);
    histories.push({ attempts: attempts.slice(from, start), earlier, ...withoutClientCalls });
  }
  return histories;
}

/** The journal sees a client's requests, but not what its user asked of it. */
const withoutClientCalls: Omit<AttemptHistory, "attempts" | "earlier"> = {
  sentAfter,
  isReportedToCaller: () => false,
  isRequestedAgain: () => false,
};

function operationsOf(attempts: readonly Attempt[]): ClientReport["operations"] {
  const operations: Record<string, Record<string, number>> = {};
  for (const { record } of attempts) {
    const { operation = record.reason === PREFLIGHT ? PREFLIGHT : "none", response } = record;
    operations[operation] ??= {};
    const statuses = operations[operation];
    statuses[response.status] = (statuses[response.status] ?? 0) + 1;
  }
  return operations;
}

function faultsOf(attempts: readonly Attempt[]): ClientReport["faults"] {
  // A rule can have any name, even "__proto__".
  const fired = groupedBy(attempts, ({ record }) => record.fault?.rule);
  return Object.fromEntries([...fired].map(([rule, { length }]) => [rule, length]));
}

function notesOn(attempts: readonly Attempt[], first: number, held: number): string[] {
  const notes: string[] = [];
  if (first > 1) {
    notes.push(
      held === 0
        ? `The journal has kept none of the requests, so there is nothing to judge.`
        : `The journal has forgotten the requests before #${first}, so only #${first} to #${first + held - 1} were judged.`,
    );
  }
  const untimed = attempts.filter(({ timeline }) => timeline === undefined).length;
  if (untimed > 0) {
    notes.push(
      `The world's clock stood still for ${untimed === attempts.length ? "these" : `${untimed} of these`} requests, so the pauses between them can't be judged (Retry-After, hot loops and back-off).`,
    );
  }
  return notes;
}

/** Says how many requests had the benefit of the doubt, so that nobody takes "no finding" for proof. */
function doubtNotes(histories: readonly AttemptHistory[]): string[] {
  const doubtful = new Set<Attempt>();
  for (const { find } of [beforeRetryAfter, continuesAfter401]) {
    for (const history of histories) {
      const found = new Set(find(history).map(({ attempt }) => attempt));
      for (const { attempt } of find({ ...history, sentAfter: perhapsSentAfter })) {
        if (!found.has(attempt)) doubtful.add(attempt);
      }
    }
  }
  const { size } = doubtful;
  if (size === 0) return [];
  return [
    `${counted(size, "request")} came so soon after a Retry-After or a 401 that the client may not have had that answer yet: fast requests look the same whether they are sent one after another or all at once.`,
  ];
}

function findingOf(id: FindingId, offences: readonly Offence[]): Finding {
  const { title, explanation, spec } = findingKinds[id];
  const ordered = [...offences].sort((a, b) => a.attempt.sequence - b.attempt.sequence);
  const sequences = ordered.map(({ attempt }) => attempt.sequence);
  const proof = ordered.slice(0, MAX_PROOF).map(({ attempt }) => entryOf(attempt));
  return {
    id,
    title,
    count: offences.length,
    who: whoOf(ordered),
    explanation,
    spec,
    example: ordered[0] === undefined ? "" : exampleOf(ordered[0]),
    proof,
    sequences: sequences.slice(0, MAX_SEQUENCES),
  };
}

function whoOf(offences: readonly Offence[]): Finding["who"] {
  const counts = new Map<string | undefined, number>();
  for (const { attempt } of offences) {
    const { publisher } = attempt.record;
    counts.set(publisher, (counts.get(publisher) ?? 0) + 1);
  }
  return [...counts]
    .map(([publisher, count]) => ({ publisher, count }))
    .sort((a, b) => b.count - a.count)
    .slice(0, MAX_PUBLISHERS);
}

/** The request, its answer, and what was wrong, on one line. */
function exampleOf({ attempt, cause, detail }: Offence): string {
  const { sequence, at, request, response } = entryOf(cause ?? attempt);
  const answer = response.status === 0 ? "no answer" : response.status;
  return `#${sequence} ${at} ${oneLine(`${request.method} ${request.path}`, MAX_SHOWN)} → ${answer}, ${detail}`;
}

const MAX_SHOWN = 100;

function entryOf({ record, sequence }: Attempt): JournalEntry {
  return shownEntry(record, sequence);
}

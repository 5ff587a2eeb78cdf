/** Finds the journal's entries that can explain why a client and the ledger count differently. */

import { isRecorded, notes } from "../exchange/operations/outcome.ts";
import type { JournalEntry, JournalFault } from "../journal/entry.ts";
import type { AssumptionKey } from "../spec/assumptions/catalogue.ts";
import { saysDuplicate } from "../spec/errors.ts";
import type { OperationId } from "../spec/operations.ts";

/** An entry that can explain a difference. */
export interface Clue {
  /** One entry's, or those of two that belong together. */
  readonly sequences: readonly number[];
  readonly at: string;
  readonly operation: OperationId | undefined;
  readonly kind: ClueKind;
  readonly text: string;
}

export type ClueKind =
  | "kept from the service"
  | "answer lost"
  /** The answer was lost, but the answer to a retry said that the event is on record: only the credit is unknown. */
  | "learnt later"
  | "applied twice"
  | "recorded again"
  | "clicked again"
  | "duplicate"
  | "replayed"
  /** Refused as a duplicate. */
  | "conflict"
  /** Refused as a duplicate of an event whose answer the client didn't get. */
  | "conflict after loss"
  | "unknown impression"
  | "refused";

/** The entry of a recording request, with the event that it is about. */
export interface RecordingEntry {
  readonly entry: JournalEntry;
  /** Equal for all attempts at one event: names the ad and its surface, or the impression that is clicked. */
  readonly event: string;
  readonly session: string | undefined;
}

/** In the journal's order. `entries`: those of one publisher, or of all. */
export function cluesOf(entries: readonly RecordingEntry[]): Clue[] {
  const unseen = new Map<string, RecordingEntry>();
  const learnt = new Set<number>();
  const clues: Clue[] = [];
  for (let place = 0; place < entries.length; place += 1) {
    const sent = entries[place];
    if (sent === undefined) continue;
    // The second application of a request follows the first.
    const next = entries[place + 1];
    const copy = next?.entry.fault?.application === 2 ? next : undefined;
    if (copy === undefined) {
      clues.push(...cluesOfOne(sent, unseen.get(sent.event)));
    } else {
      clues.push(...cluesOfBoth(sent, copy));
      place += 1;
    }
    if (isUnseen(sent.entry.fault)) {
      if (isRecorded(sent.entry.reason)) unseen.set(sent.event, sent);
    } else if (isKnown(sent.entry)) {
      const first = unseen.get(sent.event);
      if (first !== undefined && !isRecorded(sent.entry.reason)) learnt.add(first.entry.sequence);
      unseen.delete(sent.event);
    }
  }
  return clues.map((one) => (isLearntLater(one, learnt) ? { ...one, kind: "learnt later" } : one));
}

function isLearntLater({ kind, sequences }: Clue, learnt: ReadonlySet<number>): boolean {
  return kind === "answer lost" && sequences.some((sequence) => learnt.has(sequence));
}

/** Whether the answer says that the event is on record. */
function isKnown(entry: JournalEntry): boolean {
  return entry.fault?.served !== false && (isRecorded(entry.reason) || isDuplicate(entry));
}

function isDuplicate({ reason }: JournalEntry): boolean {
  return reason === notes.duplicate || saysDuplicate(reason);
}

/** Whether the service acted but the client didn't get the answer. */
function isUnseen(fault: JournalFault | undefined): boolean {
  return fault?.lost !== undefined;
}

function cluesOfBoth({ entry: first }: RecordingEntry, { entry: second }: RecordingEntry): Clue[] {
  const by = ruleIn(first.fault);
  if (isRecorded(first.reason) && isRecorded(second.reason)) {
    return [clue([first, second], "applied twice", `applied twice, so recorded twice${by}`)];
  }
  const unseen = [first, second].find((one) => isRecorded(one.reason) && isUnseen(one.fault));
  if (unseen === undefined) return [];
  const text = `applied twice, and recorded as #${unseen.sequence}, whose answer the client didn't get${by}`;
  return [clue([first, second], "answer lost", text)];
}

function cluesOfOne(sent: RecordingEntry, before: RecordingEntry | undefined): Clue[] {
  const { entry } = sent;
  const again =
    isRecorded(entry.reason) && before !== undefined ? [recordedAgainClue(sent, before)] : [];
  const own = clueOf(entry, before);
  return own === undefined ? again : [...again, own];
}

function clueOf(entry: JournalEntry, before: RecordingEntry | undefined): Clue | undefined {
  const { fault, response, reason } = entry;
  const by = ruleIn(fault);
  if (fault?.served === false) {
    const what =
      fault.received === "nothing"
        ? "dropped before the service saw it"
        : `answered with status ${response.status} in the service's place`;
    return clue([entry], "kept from the service", `${what}, not recorded${by}`);
  }
  if (isUnseen(fault)) {
    return isRecorded(entry.reason)
      ? clue([entry], "answer lost", `recorded by the service, ${answerFateText(entry)}${by}`)
      : undefined;
  }
  if (isRecorded(entry.reason)) return undefined;
  if (saysDuplicate(reason)) return conflictOf(entry, before?.entry);
  if (reason !== notes.duplicate) {
    const text = `refused with status ${response.status} (${reason}), not recorded`;
    return clue([entry], "refused", text);
  }
  return creditsNothing(response.body)
    ? clue([entry], "duplicate", "answered as a duplicate, not recorded again")
    : clue(
        [entry],
        "replayed",
        "answered as a duplicate, its credit shown again, not recorded again",
      );
}

function conflictOf(entry: JournalEntry, before: JournalEntry | undefined): Clue {
  const refused = `refused as a duplicate with status ${entry.response.status}`;
  if (before === undefined) return clue([entry], "conflict", `${refused}, not recorded again`);
  return clue(
    [entry],
    "conflict after loss",
    `${refused}: #${before.sequence}, whose answer the client didn't get, is on record`,
  );
}

/** Says why the service didn't recognise a retry of a recorded event. */
function recordedAgainClue({ entry, session }: RecordingEntry, before: RecordingEntry): Clue {
  const first = `#${before.entry.sequence}`;
  if (entry.operation === "click") {
    const text = `${first} again, and recorded again (${key("click.repeat")})`;
    return clue([entry], "clicked again", text);
  }
  const why =
    session === undefined
      ? "it has no session_id"
      : session === before.session
        ? `its session_id doesn't make it a duplicate (${key("dedup.repeat")}, ${key("dedup.window")})`
        : `it has another session_id than ${first}`;
  return clue([entry], "recorded again", `${first} again, and recorded again: ${why}`);
}

function clue(
  [first, ...more]: readonly [JournalEntry, ...JournalEntry[]],
  kind: ClueKind,
  text: string,
): Clue {
  const { at, operation } = first;
  return { sequences: [first, ...more].map((one) => one.sequence), at, operation, kind, text };
}

/** Lets the compiler check the name. */
function key(name: AssumptionKey): string {
  return name;
}

function answerFateText({ fault, response }: JournalEntry): string {
  switch (fault?.received) {
    case "part":
      return "its answer arrived damaged";
    case "whole":
      return fault.kind === "wrong-body"
        ? `the client got a wrong answer instead, with status ${response.status}`
        : `the client got status ${response.status} instead`;
    case "nothing":
    case undefined:
      return "its answer was lost";
  }
}

function creditsNothing(body: string): boolean {
  return /"revenue_credited_inr":0[,}]/.test(body);
}

function ruleIn(fault: JournalFault | undefined): string {
  return fault === undefined ? "" : ` (rule "${fault.rule}", ${fault.kind})`;
}

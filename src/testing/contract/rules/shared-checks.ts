/** Checks that several rules share: a client can be made, it finishes, it loses nothing, and causes no findings. */

import { exampleOf, findingKinds } from "../../../audit/client-report.ts";
import type { FindingId } from "../../../audit/findings/finding.ts";
import { type EventKind, eventKinds } from "../../../spec/operations.ts";
import { attemptHistoryOf } from "../../session/attempt-history.ts";
import { requestBudget } from "../../session/outcomes.ts";
import {
  closingOf,
  type PerformedCommand,
  performedCommandsOfKind,
} from "../../session/performed-commands.ts";
import type { Session, Step } from "../../session/session.ts";
import {
  type EventTask,
  eventsOf,
  isCertainlyConfirmed,
  isUnreadable,
} from "../../session/tasks.ts";
import { errorInWords, outcomeInWords, timeInWords } from "../../session/words.ts";
import { wasUndisturbed } from "./double-counting.ts";
import { isQueueFull } from "./excuses.ts";
import { BrokenRule, must, onRecord } from "./rule.ts";
import { lastFailedFlush, mustCount, undeliveredIn, undeliveredOf } from "./undelivered.ts";

/**
 * The client report must not have any of these findings.
 *
 * @throws BrokenRule that describes the first one
 * @returns how many opportunities for a finding there were.
 */
export function mustHaveNoFinding(session: Session, ...ids: readonly FindingId[]): number {
  const history = attemptHistoryOf(session);
  let opportunityCount = 0;
  for (const id of ids) {
    const kind = findingKinds[id];
    const [first] = [...kind.find(history)].sort(
      (one, other) => one.attempt.sequence - other.attempt.sequence,
    );
    must(first === undefined, () => {
      const example = first === undefined ? "" : timed(exampleOf(first), session);
      return `The client report calls this ${id}: ${example}. ${kind.explanation}`;
    });
    opportunityCount += kind.opportunityCount?.(history) ?? 0;
  }
  return opportunityCount;
}

/** The example with the times of the failure's sequence in place of the journal's request numbers. */
function timed(example: string, session: Session): string {
  const timeOf = (number: string): string => {
    const request = session.exchanges.find(({ sequence }) => sequence === Number(number));
    return timeInWords(session, request?.atMs ?? 0);
  };
  return example
    .replace(/^#(\d+) \S+/, (_, number: string) => `${timeOf(number)}:`)
    .replaceAll(/#(\d+)/g, (_, number: string) => `the request at ${timeOf(number)}`);
}

/** The client must open: there are no faults yet. If it doesn't, it breaks any rule that is tried. */
export function mustOpen({ steps: [opening] }: Session): void {
  const outcome = opening?.outcome ?? { kind: "stuck" as const };
  must(
    outcome.kind === "done",
    () => `The service was well when the client was made, but ${outcomeInWords(outcome)}.`,
  );
}

/** @throws BrokenRule if the callback of a client's timer threw. */
export function mustNotThrow(session: Session): void {
  const { threw } = session;
  if (threw === undefined) return;
  throw new BrokenRule(
    `A timer of the client threw an error at ${timeInWords(session, threw.atMs)}: ${errorInWords(threw.error)}. ` +
      "Nothing can catch that: in Node it ends the process.",
  );
}

type CommandKind = Step["command"]["kind"];

/**
 * @param kinds The commands that have to end. @default all
 * @throws BrokenRule
 * @returns how many of them met a fault.
 */
export function mustEnd({ steps }: Pick<Session, "steps">, kinds?: readonly CommandKind[]): number {
  const isMeant = ({ command }: Step): boolean => kinds?.includes(command.kind) ?? true;
  const asked = steps.flatMap((step) => step.parts ?? [step]).filter(isMeant);
  for (const step of asked) {
    const why = unended(step);
    must(why === undefined, () => `The client's ${step.command.kind} never ends: ${why}.`);
  }
  return steps
    .filter(isMeant)
    .filter(({ exchanges }) => exchanges.some(({ fault }) => fault !== undefined)).length;
}

function unended({ outcome }: Step): string | undefined {
  switch (outcome.kind) {
    case "stuck":
      return "it waits only for an answer that never comes";
    case "endless":
      return "it still waits after six hours, or after two minutes of real time";
    case "flooded":
      return `it sent more than ${requestBudget}`;
    case "done":
    case "failed":
    case "skipped":
      return undefined;
  }
}

/**
 * Every event for which the client reported success must be recorded, or reported as undelivered. For a queueing client
 * success means queued, so the results of flush and close count too.
 *
 * @param end A flush or close that resolved: what was given before it must be recorded by then. @default all steps count
 * @throws BrokenRule
 * @returns for how many events the client reported success.
 */
export function mustNotLoseSilently(session: Session, end?: PerformedCommand): number {
  mustCount(session);
  const events = eventsOf(session);
  const excusedTo = lastFailedFlush(session, end);
  let said = 0;
  for (const kind of eventKinds) {
    const done = events.filter((event) => event.operation === kind && isDone(event, end));
    said += done.length;
    const missing = done.filter(
      ({ recorded, asks }) =>
        !recorded.some(({ atMs }) => end === undefined || atMs <= end.endMs) &&
        asks.some((ask) => ask.at > excusedTo && isGivenBefore(ask, end)),
    );
    const undelivered = undeliveredIn(session, kind, end);
    must(
      missing.length <= undelivered,
      () => {
        const names = missing.map(({ name }) => name).join(", ");
        const count = undelivered === 0 ? "none" : undelivered;
        const isLate = missing.some(({ recorded }) => recorded.length > 0);
        const when = isLate
          ? `had no record of it when the ${end?.command.kind} resolved, at ${timeInWords(session, end?.endMs ?? 0)}`
          : "has no record of it";
        return `The client reported ${names} as delivered, but the service ${when}. It called ${count} undelivered.`;
      },
      () => {
        const lost = missing.filter(({ recorded }) => recorded.length === 0).length - undelivered;
        return lost > 0 ? onRecord(session, kind, lost) : [];
      },
    );
  }
  return said;
}

function isDone({ asks }: EventTask, end: PerformedCommand | undefined): boolean {
  return asks.some(
    (ask) =>
      ask.outcome.kind === "done" &&
      isGivenBefore(ask, end) &&
      (end === undefined || ask.endMs <= end.endMs),
  );
}

function isGivenBefore({ at, part }: PerformedCommand, end: PerformedCommand | undefined): boolean {
  return end === undefined || at < end.at || (at === end.at && part < end.part);
}

/**
 * Of the events that the closing calls undelivered, none may be known to be recorded. The same holds for a flush if nothing
 * went wrong; otherwise it may have given up on events that are delivered later.
 *
 * @throws BrokenRule
 * @returns how many counts were compared.
 */
export function mustCountUndelivered(
  session: Session,
  events: readonly EventTask[] = eventsOf(session),
): number {
  mustCount(session);
  const closing = closingOf(session);
  const flushes = wasUndisturbed(session) ? performedCommandsOfKind(session, "flush") : [];
  const ends = [...flushes, ...(closing ? [closing] : [])];
  let compared = 0;
  for (const { at: end, command, outcome } of ends) {
    const value = outcome.kind === "done" ? outcome.value : undefined;
    for (const kind of eventKinds) {
      for (const said of undeliveredOf(value, kind)) {
        const { given, open } = countsUntil(end, kind, events);
        must(said <= open, () => {
          const of = command.kind === "close" ? "" : ` at the ${command.kind}`;
          return `The client reports ${said} ${kind}s as undelivered${of}. It was given ${given}, and knows that ${given - open} are recorded.`;
        });
        compared += given > 0 ? 1 : 0;
      }
    }
  }
  return compared;
}

/** How many events the client was given up to this step, and how many of them it doesn't know to be recorded. */
function countsUntil(
  end: number,
  kind: EventKind,
  events: readonly EventTask[],
): { readonly given: number; readonly open: number } {
  let [given, open] = [0, 0];
  for (const { operation, asks, sent } of events) {
    if (operation !== kind) continue;
    const asked = asks.filter(({ at }) => at <= end).length;
    // After a lost answer or a conflict the client can't know, so it may report the event as undelivered or not.
    const confirmed = sent.filter((one) => one.stepIndex <= end && isCertainlyConfirmed(one));
    given += asked;
    open += Math.max(0, asked - confirmed.length);
  }
  return { given, open };
}

/**
 * The ad views whose reports all satisfy `isMeant` must be recorded, except those for which the client's queue may have no
 * room. Skipped if the service reads none of the client's encodings.
 *
 * @throws BrokenRule
 * @returns how many such views there were.
 */
export function mustRecordShown(
  session: Session,
  isMeant: (ask: PerformedCommand) => boolean,
  otherwise: (name: string) => string,
): number {
  if (isUnreadable(session)) return 0;
  const events = eventsOf(session);
  const shown = events.filter(
    ({ operation, asks }) => operation === "impression" && asks.every(isMeant),
  );
  for (const event of shown) {
    must(event.recorded.length > 0 || isQueueFull(event, events, session), () =>
      otherwise(event.name),
    );
  }
  return shown.length;
}

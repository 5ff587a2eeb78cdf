/** What several rules expect of a client: that it can be made, that it ends, that it loses nothing, and what findings forbid. */

import { exampleOf, findingKinds } from "../../../audit/client-report.ts";
import type { FindingId } from "../../../audit/findings/finding.ts";
import type { PerformedCommand } from "../../session/performed-commands.ts";
import type { Session, Step } from "../../session/session.ts";
import { stretchOf } from "../../session/stretch.ts";
import { type EventTask, eventsOf, isUnreadable } from "../../session/tasks.ts";
import { memberOf } from "../../session/wire.ts";
import { durationInWords, errorInWords, outcomeInWords } from "../../session/words.ts";
import { must, onRecord } from "./rule.ts";

/**
 * The client report's findings judge: none of these may be there.
 *
 * @throws BrokenRule that tells of the first
 * @returns how often the client could have done it.
 */
export function mustHaveNoFinding(session: Session, ...ids: readonly FindingId[]): number {
  const stretch = stretchOf(session);
  let opportunityCount = 0;
  for (const id of ids) {
    const kind = findingKinds[id];
    const [first] = [...kind.find(stretch)].sort(
      (one, other) => one.attempt.sequence - other.attempt.sequence,
    );
    must(first === undefined, () => {
      const example = first === undefined ? "" : timed(exampleOf(first), session);
      return `The client report calls this ${id}: ${example}. ${kind.explanation}`;
    });
    opportunityCount += kind.opportunityCount?.(stretch) ?? 0;
  }
  return opportunityCount;
}

/** The example with the times that a failure's sequence has, in place of the numbers that the journal counts by. */
function timed(example: string, { steps, exchanges }: Session): string {
  const timeOf = (number: string): string => {
    const atMs = exchanges.find(({ sequence }) => sequence === Number(number))?.atMs ?? 0;
    return `+${durationInWords(atMs - (steps[0]?.atMs ?? 0))}`;
  };
  return example
    .replace(/^#(\d+) \S+/, (_, number: string) => `${timeOf(number)}:`)
    .replaceAll(/#(\d+)/g, (_, number: string) => `the request at ${timeOf(number)}`);
}

/** No fault is in force yet: a client that can't be made in a world like this one breaks whatever rule is tried there. */
export function mustOpen({ steps: [opening] }: Session): void {
  const outcome = opening?.outcome ?? { kind: "stuck" as const };
  must(
    outcome.kind === "done",
    () => `The service was well when the client was made, but ${outcomeInWords(outcome)}.`,
  );
}

/** @throws BrokenRule where a callback of the client's timers threw: nobody is there to catch that. */
export function mustNotThrow({ threw, steps }: Session): void {
  must(threw === undefined, () => {
    const afterMs = (threw?.atMs ?? 0) - (steps[0]?.atMs ?? 0);
    return (
      `A timer of the client threw an error: ${errorInWords(threw?.error)}, ${durationInWords(afterMs)} into its life. ` +
      "Nothing can catch that: in Node it ends the process."
    );
  });
}

type CommandKind = Step["command"]["kind"];

/**
 * @param kinds Which commands have to end. @default all
 * @throws BrokenRule
 * @returns how many of these were in the way of a fault, or came after it.
 */
export function mustEnd(session: Session, kinds?: readonly CommandKind[]): number {
  const isMeant = ({ command }: Step): boolean => kinds?.includes(command.kind) ?? true;
  const asked = session.steps.flatMap((step) => step.parts ?? [step]).filter(isMeant);
  for (const step of asked) {
    const why = unended(step);
    must(why === undefined, () => `The client's ${step.command.kind} never ends: ${why}.`);
  }
  return session.steps
    .filter(isMeant)
    .filter(({ exchanges }) => exchanges.some(({ fault }) => fault !== undefined)).length;
}

function unended({ outcome }: Step): string | undefined {
  switch (outcome.kind) {
    case "stuck":
      return "it waits only for an answer that never comes";
    case "endless":
      return "it still waits after six hours";
    case "flooded":
      return "it has sent more than 250 requests";
    case "done":
    case "failed":
    case "skipped":
      return undefined;
  }
}

type EventKind = EventTask["operation"];
const kinds = ["impression", "click"] as const satisfies readonly EventKind[];

/**
 * Whether everything that the client was asked to report, and said to be done, is on record, or told to be undelivered. For
 * a client that queues, done means queued; so what it tells when it is flushed and closed counts.
 *
 * @param last Place of the last step that counts. @default that of the last one
 * @throws BrokenRule
 * @returns how many events it was said of.
 */
export function mustNotLoseSilently(session: Session, last: number = session.steps.length): number {
  const events = eventsOf(session);
  const excusedTo = lastRefusal(session, last);
  let said = 0;
  for (const kind of kinds) {
    const done = events.filter((event) => event.operation === kind && isDone(event, last));
    said += done.length;
    const missing = done.filter(
      ({ recorded, asks }) =>
        !recorded.some(({ stepIndex }) => stepIndex <= last) &&
        asks.some(({ at }) => at > excusedTo),
    );
    const told = toldOf(session, kind, last);
    must(
      missing.length <= told,
      () => {
        const names = missing.map(({ name }) => name).join(", ");
        const but =
          told === 0 ? "It reported nothing as undelivered" : `It reported ${told} as undelivered`;
        return `The client said that it reported ${names}, but the service has no record of it. ${but}.`;
      },
      () => onRecord(session, kind, missing.length - told),
    );
  }
  return said;
}

function isDone({ asks }: EventTask, last: number): boolean {
  return asks.some(({ outcome, at }) => at <= last && outcome.kind === "done");
}

/** A flush or a closing that failed says that something is left, of what was given before it; one that never ends, too. */
function lastRefusal({ steps }: Session, last: number): number {
  return steps.findLastIndex(
    ({ command, outcome }, at) =>
      at <= last &&
      (command.kind === "flush" || command.kind === "close") &&
      outcome.kind !== "done" &&
      outcome.kind !== "skipped",
  );
}

/** What closing told is of the whole life. Where it told nothing, what the flushes did. */
function toldOf({ steps }: Session, kind: EventKind, last: number): number {
  const told = (name: "flush" | "close"): number[] =>
    steps
      .slice(0, last + 1)
      .flatMap(({ command, outcome }) =>
        command.kind === name && outcome.kind === "done" ? undeliveredOf(outcome.value, kind) : [],
      );
  const flushed = told("flush").reduce((sum, one) => sum + one, 0);
  return told("close").at(-1) ?? flushed;
}

/** None of what isn't a report. */
export function undeliveredOf(value: unknown, kind: EventKind): number[] {
  const count = memberOf(value, kind === "impression" ? "impressions" : "clicks");
  return typeof count === "number" ? [count] : [];
}

/**
 * Showings that were reported only where this holds are on record. A client that doesn't speak the service's form is none
 * of which that could be expected.
 *
 * @throws BrokenRule
 * @returns how many there were.
 */
export function mustRecordShown(
  session: Session,
  isMeant: (ask: PerformedCommand) => boolean,
  otherwise: (name: string) => string,
): number {
  if (isUnreadable(session)) return 0;
  const shown = eventsOf(session).filter(
    ({ operation, asks }) => operation === "impression" && asks.every(isMeant),
  );
  for (const { name, recorded } of shown) must(recorded.length > 0, () => otherwise(name));
  return shown.length;
}

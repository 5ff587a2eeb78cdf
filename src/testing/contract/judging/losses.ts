/** Events that a client was given, that aren't on record, and of which it doesn't say so. */

import { type EventAttempt, eventsOf } from "../../session/attempts.ts";
import type { Session } from "../../session/session.ts";
import { memberOf } from "../../session/wire.ts";
import { must, onRecord } from "../rule.ts";

type Kind = EventAttempt["operation"];
const kinds = ["impression", "click"] as const satisfies readonly Kind[];

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
        !recorded.some(({ during }) => during <= last) && asks.some(({ at }) => at > excusedTo),
    );
    const told = toldOf(session, kind, last);
    must(
      missing.length <= told,
      () => {
        const names = missing.map(({ name }) => name).join(", ");
        const but = told === 0 ? "It called nothing undelivered" : `It called ${told} undelivered`;
        return `The client said to have reported what isn't on record: ${names}. ${but}.`;
      },
      () => onRecord(session, kind, missing.length - told),
    );
  }
  return said;
}

function isDone({ asks }: EventAttempt, last: number): boolean {
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
function toldOf({ steps }: Session, kind: Kind, last: number): number {
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
export function undeliveredOf(value: unknown, kind: Kind): number[] {
  const count = memberOf(value, kind === "impression" ? "impressions" : "clicks");
  return typeof count === "number" ? [count] : [];
}

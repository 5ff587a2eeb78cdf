/** What a client's flush and close say of the events that it couldn't deliver. */

import { memberOf } from "../../../base/parse-json.ts";
import { type EventKind, eventKinds } from "../../../spec/operations.ts";
import { endingsOf, type PerformedCommand } from "../../session/performed-commands.ts";
import type { Session } from "../../session/session.ts";
import { valueInWords } from "../../session/words.ts";
import { must } from "./rule.ts";

/** Index of the last flush or close that failed or never ended. Its failure tells the caller that earlier events may be lost. */
export function lastFailedFlush(session: Session, end: PerformedCommand | undefined): number {
  const failed = endingsUntil(session, end).findLast(({ outcome }) => outcome.kind !== "done");
  return failed?.at ?? -1;
}

/** The count from the first closing, which covers the whole session; otherwise the sum of the counts from the flushes. */
export function undeliveredIn(
  session: Session,
  kind: EventKind,
  end: PerformedCommand | undefined,
): number {
  const counts = endingsUntil(session, end).flatMap(({ command, outcome, at }) => {
    const value = outcome.kind === "done" ? outcome.value : undefined;
    return undeliveredOf(value, kind).map((count) => ({ count, at, of: command.kind }));
  });
  const ofFlushes = counts.filter(({ of }) => of === "flush");
  const flushed = ofFlushes.reduce((sum, { count }) => sum + count, 0);
  const closings = counts.filter(({ of }) => of === "close");
  // Of several closings at once, one may have the counts.
  const closed = closings.filter(({ at }) => at === closings[0]?.at).map(({ count }) => count);
  return closed.length === 0
    ? flushed
    : Math.max(...closed, end?.command.kind === "flush" ? flushed : 0);
}

/** Those up to the step of this one; all if there is none. */
function endingsUntil(session: Session, end: PerformedCommand | undefined): PerformedCommand[] {
  return endingsOf(session).filter(({ at }) => end === undefined || at <= end.at);
}

/** What a flush or a close says of events that it couldn't deliver has to be their number. @throws BrokenRule */
export function mustCount(session: Session): void {
  for (const { command, outcome } of endingsOf(session)) {
    if (outcome.kind !== "done") continue;
    for (const name of Object.values(countNames)) {
      const count = memberOf(outcome.value, name);
      must(
        count === undefined || isCount(count),
        () =>
          `The client's ${command.kind} resolved with ${name}: ${valueInWords(count)}. That must be the number of ${name} that it couldn't deliver: 0, 1, 2, …`,
      );
    }
  }
}

function isCount(count: unknown): count is number {
  return typeof count === "number" && Number.isInteger(count) && count >= 0;
}

const countNames: Readonly<Record<EventKind, string>> = {
  impression: "impressions",
  click: "clicks",
};

/** The count of undelivered events; empty if the value has none. */
export function undeliveredOf(value: unknown, kind: EventKind): number[] {
  const count = memberOf(value, countNames[kind]);
  return isCount(count) ? [count] : [];
}

/** Whether it has such a count. */
export function saysCounts(value: unknown): boolean {
  return eventKinds.some((kind) => undeliveredOf(value, kind).length > 0);
}

/** Calls that are under way when a client is told to end its work: sequences with such calls, and what flush and close owe them. */

import fc from "fast-check";
import { MINUTE_MS } from "../../../base/duration.ts";
import type { Verdict } from "../../../faults/verdict.ts";
import { eventKinds, type OperationId } from "../../../spec/operations.ts";
import type { Command } from "../../session/command.ts";
import {
  type PerformedCommand,
  performedCommandsOf,
  performedCommandsOfKind,
} from "../../session/performed-commands.ts";
import type { Session, Step } from "../../session/session.ts";
import { isOfEvent } from "../../session/tasks.ts";
import { timeInWords } from "../../session/words.ts";
import { advance, failed, fault, heal, lasting, limitedFor, next } from "./disturbances.ts";
import { must } from "./rule.ts";
import {
  adView,
  apart,
  click,
  close,
  flush,
  inTurn,
  stats,
  togetherAll,
  weightedOneOf,
} from "./sequences.ts";
import { mustNotLoseSilently } from "./shared-checks.ts";
import { lastFailedFlush, undeliveredIn } from "./undelivered.ts";

const events: OperationId[] = ["impression", "click"];
const slow: fc.Arbitrary<Verdict> = fc.constant({ kind: "delay", delay: "4s" });

/** The next calls then stay under way for some seconds. No client has to give up on them before. */
function delayed(
  operation: OperationId[],
  times: number,
  verdicts: fc.Arbitrary<Verdict> = fc.oneof(slow, limitedFor(5)),
): fc.Arbitrary<Command> {
  const match = fc.integer({ min: 1, max: times }).map((most) => ({ operation, times: most }));
  return fault(verdicts, match);
}

/** Events are under way when the client is told to end its work. The flush at the beginning shows that it knows of such work. */
function underWayAt(
  end: typeof flush | typeof close,
  twice: fc.Arbitrary<Command>,
): fc.Arbitrary<readonly Command[]> {
  const viewed = fc.oneof(apart(adView, end), apart(adView, click, end));
  const clicked = fc.oneof(togetherAll(click, end), apart(click, end));
  const ended = weightedOneOf(
    [3, inTurn(delayed(events, 3), viewed)],
    [2, inTurn(delayed(["impression"], 2, failed), togetherAll(adView, click, end))],
    [4, inTurn(delayed(["click"], 2, fc.oneof(limitedFor(5), limitedFor(5), slow)), clicked)],
    [3, inTurn(delayed(events, 1, slow), delayed(events, 2), twice)],
  );
  return inTurn(adView, adView, flush, ended);
}

export const flushedUnderWay: fc.Arbitrary<readonly Command[]> = underWayAt(
  flush,
  apart(adView, flush, adView, flush),
);
export const closedUnderWay: fc.Arbitrary<readonly Command[]> = underWayAt(
  close,
  apart(adView, close, close),
);

/** Attempts still fail when the client is closed, so that it has to wait or to give up. */
export const closedInOutage: fc.Arbitrary<readonly Command[]> = inTurn(
  ...[fault(failed, lasting), adView, apart(adView, adView, close)],
);

/** A client that keeps figures may ask for new ones in the background. */
export const closedWithFigures: fc.Arbitrary<readonly Command[]> = inTurn(
  ...[stats, advance(10, 120), fault(failed, next("stats", 3)), stats, close],
);

/** A query is under way when the client is closed. The last one, long after the failure, shows whether it takes any more. */
export const closedWithQuery: fc.Arbitrary<readonly Command[]> = inTurn(
  ...[adView, flush, fault(failed, next("stats", 3)), apart(stats, close)],
  ...[heal, advance(3600, 3600), stats],
);

/** Over a socket, what ends at the same time may differ by some milliseconds. */
const SAME_MS = 100;

/**
 * A flush or close that resolves has finished what was given before it: the events are recorded, the calls have ended, or it
 * counts them as undelivered.
 *
 * @throws BrokenRule
 * @returns for how many events the client had reported success.
 */
export function mustFinish(session: Session, end: PerformedCommand): number {
  const given = mustNotLoseSilently(session, end);
  if (lastFailedFlush(session, end) === end.at) return given;
  const pending = performedCommandsOf(session).filter(
    ({ at, part, endMs }) => at === end.at && part < end.part && endMs > end.endMs + SAME_MS,
  );
  for (const kind of eventKinds) {
    const calls = pending.filter(
      ({ command, shown }) => shown && (command.kind === "click") === (kind === "click"),
    );
    const undelivered = undeliveredIn(session, kind, end);
    must(calls.length <= undelivered, () => {
      const whenOver = calls.map(({ endMs }) => timeInWords(session, endMs)).join(", ");
      const count = undelivered === 0 ? "none" : undelivered;
      return `The client's ${end.command.kind} resolved at ${timeInWords(session, end.endMs)}, while a call to report an event that it was given before was still under way, until ${whenOver}. It called ${count} of the ${kind}s undelivered.`;
    });
  }
  return given;
}

/** A client without a queue may have nothing to close. */
export function hasQueue(session: Session): boolean {
  return performedCommandsOfKind(session, "flush").length > 0;
}

/** A call that closes the client may not succeed while another one still sends. */
export function mustNotCloseEarly(session: Session, step: Step): void {
  const { parts = [], exchanges } = step;
  const isEnding = ({ command: { kind } }: Step): boolean => kind === "close" || kind === "flush";
  if (!parts.every(isEnding) && !hasQueue(session)) return;
  // A driver may join two clients: one for events, and one for queries that can't be closed.
  const isForAll = refusesQueries(session, step);
  const meant = exchanges.filter((one) => isOfEvent(one) || isForAll);
  for (const { command, outcome, endMs } of parts) {
    if (command.kind !== "close" || outcome.kind !== "done") continue;
    const later = meant.find(({ atMs }) => atMs > endMs);
    must(
      later === undefined,
      () =>
        `A call to close the client succeeded at ${timeInWords(session, endMs)}. The client sent ${later?.request.method} ${later?.request.path} after that, at ${timeInWords(session, later?.atMs ?? 0)}.`,
    );
  }
}

/** Whether a query failed unsent so long after this step that no failure of the service explains it. */
function refusesQueries({ steps, promised }: Session, { endMs }: Step): boolean {
  const calmMs = endMs + Math.max(10 * MINUTE_MS, promised.withinMs);
  return steps.some(
    ({ command, outcome, exchanges, atMs }) =>
      command.kind === "stats" &&
      outcome.kind === "failed" &&
      exchanges.length === 0 &&
      atMs >= calmMs,
  );
}

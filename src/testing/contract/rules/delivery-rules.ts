/** A client must deliver the events that it accepts. A failure that passes is no reason to give up. */

import fc from "fast-check";
import type { FaultMatch } from "../../../faults/rule.ts";
import { sequenceOf } from "../../arbitraries/sequence.ts";
import type { Command } from "../../session/command.ts";
import { closingOf, performedCommandsOfKind } from "../../session/performed-commands.ts";
import type { Session } from "../../session/session.ts";
import { type EventTask, eventsOf, hasGivenSession, isUnreadable } from "../../session/tasks.ts";
import { timeInWords } from "../../session/words.ts";
import {
  advance,
  failed,
  fault,
  heal,
  lasting,
  limitedWithRetryAfter,
  lost,
  next,
  unreadable,
} from "./disturbances.ts";
import { isExcused, reportsAnew, sentFor } from "./excuses.ts";
import { must, onRecord, type Rule } from "./rule.ts";
import {
  adView,
  again,
  againOf,
  click,
  event,
  flush,
  inTurn,
  sequence,
  shortPause,
  together,
  togetherAll,
  weightedOneOf,
} from "./sequences.ts";
import { mustNotLoseSilently } from "./shared-checks.ts";
import { undeliveredOf } from "./undelivered.ts";

/** So few failures that a client may not give up, unless it declares fewer attempts. */
const briefly: fc.Arbitrary<FaultMatch> = fc.constantFrom(
  { operation: "impression", times: 1 },
  { operation: "impression", times: 2 },
);
const once: fc.Arbitrary<FaultMatch> = weightedOneOf(
  [3, next("impression", 1)],
  [1, next("click", 1)],
);
const hiccup: fc.Arbitrary<Command> = fault(fc.oneof(failed, lost, unreadable), briefly);
/** Refuses one event, and says nothing about the others. */
const refusedOnce: fc.Arbitrary<Command> = fault(
  fc.constantFrom({ kind: "respond", status: 400 }, { kind: "respond", status: 422 }),
  next("impression", 1),
);
const more: fc.Arbitrary<Command> = fc.oneof(event, event, flush, shortPause);

const down: fc.Arbitrary<Command> = fault(failed, next("impression"));
/** The client gives a view up, and is asked to report it again when the service works. */
const reportedAgain: fc.Arbitrary<readonly Command[]> = sequence(
  [down, adView, flush, heal, advance(120, 600), fc.oneof(again, togetherAll(again, again)), flush],
  more,
  2,
);
/** The same with clicks, and the first request after that fails: for that view, or for another one. */
const failsAgain: fc.Arbitrary<readonly Command[]> = inTurn(
  ...[down, adView, sequenceOf(click, { minLength: 0, maxLength: 2 }), flush, heal],
  ...[advance(600, 700), fault(failed, next("impression", 1))],
  fc.oneof(inTurn(again, advance(120, 300)), adView),
  flush,
);
/** The client gives two views up. When the second is reported again, it is older than many clients let a view become. */
const reportedLate: fc.Arbitrary<readonly Command[]> = inTurn(
  ...[down, adView, adView, flush, heal, advance(600, 620)],
  ...[againOf(0), flush, advance(290, 310), againOf(1), flush],
);

/** Four requests fail: for one view, or for several that wait. A flush that takes seconds may have a time limit. */
const fourFail: fc.Arbitrary<readonly Command[]> = inTurn(
  fault(failed, next("impression", 4)),
  weightedOneOf(
    [2, inTurn(adView, advance(60, 240))],
    [1, togetherAll(adView, adView, adView)],
    [1, inTurn(togetherAll(adView, adView, adView), click, click)],
  ),
  flush,
);

/** Outages of one to six failures in a row, each after the service has worked. Before it is asked, the client has time. */
export const outages: fc.Arbitrary<readonly Command[]> = fc
  .tuple(
    sequenceOf(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 6 }),
    failed,
    advance(120, 400),
  )
  .map(([lengths, verdict, pause]) =>
    lengths.flatMap((times): Command[] => [
      { kind: "fault", rule: { match: { operation: "impression", times }, verdict } },
      { kind: "impression", surface: 0 },
      pause,
      { kind: "flush" },
      { kind: "heal" },
    ]),
  );

const deliversWhenItCan: Rule = {
  id: "delivers-when-it-can",
  says: "A client delivers every event that it accepts, unless the service keeps failing or the client reaches a limit that it declares",
  source: "spec §1",
  commands: () =>
    weightedOneOf(
      [2, sequence([adView], fc.oneof(event, event, flush, advance(60, 3600)))],
      [9, sequence([hiccup, adView], more)],
      // It is closed while the view waits to be sent again.
      [4, sequence([hiccup, adView], adView, 1)],
      [4, sequence([adView, flush, hiccup, adView, flush], more, 2)],
      [4, sequence([refusedOnce, together(adView)], more, 3)],
      [5, sequence([fault(limitedWithRetryAfter, once), adView, event, advance(200, 600)], more)],
      [4, sequence([fault(lost, lasting), adView, heal, advance(120, 600)], more)],
      [4, reportedAgain],
      [3, failsAgain],
      [6, fourFail],
      [2, reportedLate],
      [3, outages],
      [2, sequence([fault(failed, lasting), adView, advance(1, 2), heal, advance(60, 600)], more)],
    ),
  judge: mustDeliver,
};

/** A step after which the client has delivered all that it was given before. */
interface End {
  /** The step's index. */
  readonly at: number;
  /** A flush that fails may leave events in the queue. */
  readonly isFinal: boolean;
  /** What the client returned. */
  readonly value?: unknown;
}

/**
 * @throws BrokenRule
 * @returns how many events the client accepted and delivered.
 */
function mustDeliver(session: Session): number {
  mustNotLoseSilently(session);
  if (isUnreadable(session)) return 0;
  const ends = endsOf(session);
  const events = eventsOf(session);
  return events.filter((one) => isDelivered(one, { session, events, ends })).length;
}

function endsOf(session: Session): End[] {
  const closing = closingOf(session);
  const ends = [...performedCommandsOfKind(session, "flush"), ...(closing ? [closing] : [])];
  return ends.flatMap(({ command, at, outcome }): End[] => {
    if (outcome.kind === "done") return [{ at, isFinal: true, value: outcome.value }];
    return outcome.kind === "failed" ? [{ at, isFinal: command.kind === "close" }] : [];
  });
}

interface DeliveryContext {
  readonly session: Session;
  readonly events: readonly EventTask[];
  readonly ends: readonly End[];
}

/** @throws BrokenRule if the client gave the event up without an excuse. */
function isDelivered(event: EventTask, context: DeliveryContext): boolean {
  const { session, events, ends } = context;
  const { asks, recorded, name, operation } = event;
  for (const { at: end, isFinal } of ends) {
    const before = asks.filter(({ at }) => at < end);
    // If the call failed, the caller knows.
    const isAccepted = before.length > 0 && before.every(({ outcome }) => outcome.kind === "done");
    if (!isAccepted || recorded.some(({ stepIndex }) => stepIndex <= end)) continue;
    const sent = sentFor(event, end);
    const { maxAttempts } = session.promised;
    if (sent.length >= maxAttempts || isExcused(event, events, session, end)) {
      mustAcceptAgain(event, context, end);
      return false;
    }
    must(
      !isFinal,
      () => {
        const answers = sent.map(({ got }) => (got.status === 0 ? "no answer" : got.status));
        const tries =
          sent.length === 0 ? "It sent nothing for it" : `Its attempts got: ${answers.join(", ")}`;
        return (
          `The client accepted ${name}, and had not delivered it by the end of the ${session.steps[end]?.command.kind}, when the service worked. ` +
          `${tries}. It may give up after ${maxAttempts} attempts, or while the service still fails.`
        );
      },
      () => onRecord(session, operation, 1),
    );
  }
  return recorded.length > 0;
}

/**
 * A view that was given up and is then reported again has to be sent again, or called undelivered again.
 *
 * @param givenUp The step in which it was given up.
 * @throws BrokenRule
 */
function mustAcceptAgain(view: EventTask, context: DeliveryContext, givenUp: number): void {
  const { asks, name, operation } = view;
  const { session, events, ends } = context;
  // Another click may be meant. A client that makes its own session ids goes by the ad and the surface, and may find it enough
  // to have called that undelivered once.
  if (operation === "click" || !hasGivenSession(view)) return;
  for (const { at: end, isFinal } of ends) {
    const anew = asks.filter(({ at }) => at > givenUp && at < end);
    const isAccepted = anew.length > 0 && anew.every(({ outcome }) => outcome.kind === "done");
    if (!isFinal || !isAccepted) continue;
    const isSent = view.sent.some(({ stepIndex }) => stepIndex > givenUp && stepIndex <= end);
    // A flush counts what was given up since the last one.
    const since = ends.filter(({ at }) => at > (anew[0]?.at ?? end) && at <= end);
    const isToldAgain = since.some(({ value }) =>
      undeliveredOf(value, operation).some((count) => count > 0),
    );
    must(
      isSent || isToldAgain || isExcused(view, events, session, end),
      () =>
        `The client gave up on ${name}, and accepted it again when it was asked to report it again. ` +
        `By the end of the ${session.steps[end]?.command.kind}, when the service worked, it had not sent it again, and it called nothing undelivered.`,
      () => onRecord(session, operation, 1),
    );
  }
  mustCountAnew(view, context);
}

/**
 * If the client sends views again that it gave up, their attempts and their age count from the report that made it do so.
 *
 * @throws BrokenRule
 */
function mustCountAnew(view: EventTask, { session, events, ends }: DeliveryContext): void {
  const { maxAttempts } = session.promised;
  const idle = ends.filter(({ isFinal }) => isFinal).map(({ at }) => at);
  const isSentAnew = (one: EventTask): boolean => {
    const [anew] = one.operation === "click" ? [] : reportsAnew(one, events, idle);
    return anew !== undefined && one.sent.some(({ stepIndex }) => stepIndex >= anew.at);
  };
  const [anew] = reportsAnew(view, events, idle);
  if (anew === undefined || !events.some(isSentAnew)) return;
  for (const end of idle.filter((at) => at > anew.at)) {
    if (view.recorded.some(({ stepIndex }) => stepIndex <= end)) return;
    const attempts = sentFor(view, end).filter(({ stepIndex }) => stepIndex >= anew.at).length;
    must(
      attempts >= maxAttempts || isExcused(view, events, session, end, anew.at),
      () =>
        `The client gave up on ${view.name}, and accepted it again at ${timeInWords(session, anew.atMs)}. ` +
        `By the end of the ${session.steps[end]?.command.kind}, when the service worked, it had not delivered it. Attempts since then: ${attempts}. ` +
        `A client that sends such views again counts their attempts (${maxAttempts}) and their age from that report on.`,
      () => onRecord(session, view.operation, 1),
    );
  }
}

export const deliveryRules: readonly Rule[] = [deliversWhenItCan];

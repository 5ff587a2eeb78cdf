/** A client that takes events on delivers them. A failure that passes is no reason to give up. */

import fc from "fast-check";
import { DAY_MS, MINUTE_MS } from "../../../base/duration.ts";
import type { FaultMatch, FaultRule } from "../../../faults/rule.ts";
import type { Command } from "../../session/command.ts";
import { performedCommandsOfKind } from "../../session/performed-commands.ts";
import type { Session } from "../../session/session.ts";
import {
  type EventTask,
  eventsOf,
  isCertainlyConfirmed,
  isOfLimit,
  isUnreadable,
  isWrongForm,
  type SentRequest,
  sentBy,
} from "../../session/tasks.ts";
import { jsonOf } from "../../session/wire.ts";
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
import { must, onRecord, type Rule } from "./rule.ts";
import {
  adView,
  event,
  flush,
  sequence,
  shortPause,
  together,
  weightedOneOf,
} from "./sequences.ts";
import { mustNotLoseSilently } from "./shared-checks.ts";

/** Fewer failures than attempts that a client makes before it gives up, unless it declares otherwise. */
const briefly: fc.Arbitrary<FaultMatch> = fc.constantFrom(
  { operation: "impression", times: 1 },
  { operation: "impression", times: 2 },
);
const once: fc.Arbitrary<FaultMatch> = fc.constantFrom(
  { operation: "impression", times: 1 },
  { operation: "click", times: 1 },
);
const hiccup: fc.Arbitrary<Command> = fault(fc.oneof(failed, lost, unreadable), briefly);
/** Refuses one event, and says nothing about the others. */
const refusedOnce: fc.Arbitrary<Command> = fault(
  fc.constantFrom({ kind: "respond", status: 400 }, { kind: "respond", status: 422 }),
  next("impression", 1),
);
const more: fc.Arbitrary<Command> = fc.oneof(event, event, flush, shortPause);

const deliversWhenItCan: Rule = {
  id: "delivers-when-it-can",
  says: "A client delivers every event that it took on, unless the service keeps failing or a limit that the client declares is reached",
  source: "spec §1",
  commands: () =>
    weightedOneOf(
      [1, sequence([adView], fc.oneof(event, event, flush, advance(60, 3600)))],
      [3, sequence([hiccup, adView], more)],
      [1, sequence([adView, flush, hiccup, adView, flush], more, 2)],
      [1, sequence([refusedOnce, together(adView)], more, 3)],
      [2, sequence([fault(limitedWithRetryAfter, once), adView, event, advance(200, 600)], more)],
      [2, sequence([fault(lost, lasting), adView, heal, advance(120, 600)], more)],
      [1, sequence([fault(failed, lasting), adView, advance(1, 2), heal, advance(60, 600)], more)],
    ),
  judge: mustDeliver,
};

/** A step after which the client has delivered all that it was given before. */
interface End {
  /** The step's index. */
  readonly at: number;
  /** A flush that fails may leave events in the queue. */
  readonly isFinal: boolean;
}

/**
 * @throws BrokenRule
 * @returns how many events the client took on and delivered.
 */
function mustDeliver(session: Session): number {
  mustNotLoseSilently(session);
  if (isUnreadable(session)) return 0;
  const ends = endsOf(session);
  const events = eventsOf(session);
  return events.filter((one) => isDelivered(one, { session, events, ends })).length;
}

function endsOf(session: Session): End[] {
  const flushes = performedCommandsOfKind(session, "flush");
  const closing = session.steps.findIndex(({ command }) => command.kind === "close");
  const { outcome } = session.steps[closing] ?? {};
  const isClosed = outcome?.kind === "done" || outcome?.kind === "failed";
  return [
    ...flushes.flatMap(({ at, outcome: { kind } }) =>
      kind === "done" || kind === "failed" ? [{ at, isFinal: kind === "done" }] : [],
    ),
    ...(isClosed ? [{ at: closing, isFinal: true }] : []),
  ];
}

interface Judged {
  readonly session: Session;
  readonly events: readonly EventTask[];
  readonly ends: readonly End[];
}

/** @throws BrokenRule if the client gave the event up without an excuse. */
function isDelivered(event: EventTask, { session, events, ends }: Judged): boolean {
  const { asks, recorded, name, operation } = event;
  for (const { at: end, isFinal } of ends) {
    const before = asks.filter(({ at }) => at < end);
    // If the call failed, the caller knows.
    const isTaken = before.length > 0 && before.every(({ outcome }) => outcome.kind === "done");
    if (!isTaken || recorded.some(({ stepIndex }) => stepIndex <= end)) continue;
    if (isExcused(event, events, session, end)) return false;
    if (!isFinal) continue;
    const sent = sentFor(event, end);
    must(
      false,
      () => {
        const answers = sent.map(({ got }) => (got.status === 0 ? "no answer" : got.status));
        const tries =
          sent.length === 0 ? "It sent nothing for it" : `Its attempts got: ${answers.join(", ")}`;
        const { maxAttempts } = session.promised;
        return (
          `The client took on ${name}, and had not delivered it at the end of the ${session.steps[end]?.command.kind}, when the service worked. ` +
          `${tries}. It may give up after ${maxAttempts} attempts, or while the service still fails.`
        );
      },
      () => onRecord(session, operation, 1),
    );
  }
  return recorded.length > 0;
}

/** Requests for the event up to this step. In doubt about the encoding nothing was asked yet. */
function sentFor({ sent }: EventTask, end: number): SentRequest[] {
  return sent.filter((one) => one.stepIndex <= end && !isWrongForm(one));
}

/** Whether the client may have given the event up by the end of this step. In doubt it may. */
function isExcused(
  event: EventTask,
  events: readonly EventTask[],
  session: Session,
  end: number,
): boolean {
  return (
    isLimitReached(event, events, session, end) ||
    isRefused(event, session, end) ||
    (event.operation === "click"
      ? isClickInDoubt(event, events, end)
      : isViewInDoubt(event, session, end)) ||
    isOutage(event, session, end)
  );
}

/** Whether a limit is reached that the client declares. */
function isLimitReached(
  event: EventTask,
  events: readonly EventTask[],
  { promised, steps }: Session,
  end: number,
): boolean {
  const [asked] = event.asks;
  const first = asked?.at ?? end;
  const ageMs = (steps[end]?.endMs ?? 0) - (asked?.atMs ?? 0);
  const waitingIn = (step: number): number =>
    events.filter(
      ({ asks, recorded }) =>
        (asks[0]?.at ?? end) <= step && (recorded[0]?.stepIndex ?? end) >= step,
    ).length;
  return (
    sentFor(event, end).length >= promised.maxAttempts ||
    ageMs >= promised.maxAgeMs ||
    steps.some((_, at) => at >= first && at <= end && waitingIn(at) > promised.maxQueued)
  );
}

/** Whether an answer was final for the event, or for the key. */
function isRefused(event: EventTask, session: Session, end: number): boolean {
  return (
    sentFor(event, end).some((one) => !mayPass(one)) ||
    sentBy(session).some(
      (one) =>
        one.stepIndex <= end &&
        (one.got.status === 401 || one.got.status === 403) &&
        !isOfLimit(one),
    )
  );
}

const PASSING_STATUSES: readonly number[] = [0, 500, 502, 503, 504];

/** Whether the request failed, and may succeed if it is sent again. A 200 without a JSON object confirms nothing. */
function mayPass(sent: SentRequest): boolean {
  const { status } = sent.got;
  const isEmpty = typeof (jsonOf(sent.got) ?? undefined) !== "object";
  return PASSING_STATUSES.includes(status) || isOfLimit(sent) || (status === 200 && isEmpty);
}

/** A click that may count already must not be sent again, and one without an impression's id can't be sent at all. */
function isClickInDoubt(click: EventTask, events: readonly EventTask[], end: number): boolean {
  const view = events.find((one) => one.operation === "impression" && one.view === click.view);
  const isKnown = view?.sent.some((one) => one.stepIndex <= end && isCertainlyConfirmed(one));
  const sinceMs = (click.asks[0]?.atMs ?? 0) - (view?.asks[0]?.atMs ?? 0);
  // The service may refuse a click that comes a day later, and a client may know that.
  return (
    isKnown !== true || sinceMs >= DAY_MS || sentFor(click, end).some((one) => !isOfLimit(one))
  );
}

/** An impression is safe to repeat if it has a session, and if the service hasn't forgotten that session. */
function isViewInDoubt(view: EventTask, { steps }: Session, end: number): boolean {
  const [inDoubt] = sentFor(view, end).filter((one) => !isOfLimit(one));
  if (inDoubt === undefined) return false;
  const sinceMs = (steps[end]?.endMs ?? 0) - inDoubt.atMs;
  return !inDoubt.values.has("session_id") || sinceMs >= 20 * MINUTE_MS;
}

/** A flush or close that gives up after this time may have a time limit. */
const DEADLINE_MS = 5000;

/** Whether the service still failed when the step ended, as far as the client could see. */
function isOutage({ operation }: EventTask, session: Session, end: number): boolean {
  const { steps, promised } = session;
  const step = steps[end];
  const sent = sentBy(session).filter((one) => one.stepIndex <= end);
  const failures = sent.filter(mayPass);
  if (step === undefined || failures.length === 0) return false;
  const isPaused = failures.some((one) => step.endMs < pausedUntilMs(one));
  const latest = sent.filter(({ stepIndex }) => stepIndex === end).slice(-promised.maxAttempts);
  const onlyFailed = latest.length >= promised.maxAttempts && latest.every(mayPass);
  const ranOut = step.endMs - step.atMs >= Math.min(DEADLINE_MS, promised.withinMs);
  return isPaused || onlyFailed || ranOut || hasFaultFor(operation, session, end);
}

/** A limit without Retry-After may be over only when the minute after this one ends. */
function pausedUntilMs(sent: SentRequest): number {
  const { attempt, atMs } = sent;
  return attempt.retryAtMs ?? (isOfLimit(sent) ? atMs + 2 * MINUTE_MS : atMs);
}

/** Whether a fault rule could still fail such a request. */
function hasFaultFor(operation: EventTask["operation"], { steps }: Session, end: number): boolean {
  const until = steps.slice(0, end + 1);
  const healed = until.findLastIndex(({ command }) => command.kind === "heal");
  const fired = until.flatMap(({ exchanges }) => exchanges.map(({ fault }) => fault?.rule));
  return until.slice(healed + 1).some(({ command, outcome }) => {
    if (command.kind !== "fault" || outcome.kind !== "done") return false;
    const { operation: of = operation } = command.rule.match ?? {};
    const times = fired.filter((id) => id === outcome.value).length;
    return [of].flat().includes(operation) && times < mostTimes(command.rule);
  });
}

/** How often the rule applies at most, as far as that is certain. */
function mostTimes({ match: { times, nth } = {} }: FaultRule): number {
  const most = nth === undefined ? Number.POSITIVE_INFINITY : [nth].flat().length;
  return Math.min(times ?? most, most);
}

export const deliveryRules: readonly Rule[] = [deliversWhenItCan];

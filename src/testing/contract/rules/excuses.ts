/** When a client may give up on an event, besides after as many attempts as it declares. */

import { DAY_MS, MINUTE_MS } from "../../../base/duration.ts";
import { jsonIn } from "../../../base/parse-json.ts";
import type { FaultRule } from "../../../faults/rule.ts";
import type { PerformedCommand } from "../../session/performed-commands.ts";
import type { Session } from "../../session/session.ts";
import {
  type EventTask,
  hasWrongEncoding,
  isCertainlyConfirmed,
  isOfLimit,
  type SentRequest,
  sentBy,
} from "../../session/tasks.ts";

/** Requests for the event up to this step, without those in an encoding that the service doesn't read. */
export function sentFor({ sent }: EventTask, end: number): SentRequest[] {
  return sent.filter((one) => one.stepIndex <= end && !hasWrongEncoding(one));
}

/**
 * Whether the client may have given the event up by the end of this step, however few attempts it made. In doubt it may.
 *
 * @param since The step of the first report that counts for the limits that the client declares. @default the first of all
 */
export function isExcused(
  event: EventTask,
  events: readonly EventTask[],
  session: Session,
  end: number,
  since = 0,
): boolean {
  const asks = event.asks.filter(({ at }) => at >= since);
  return (
    isExcusedByItself({ ...event, asks }, events, session, end) || isOutage(event, session, end)
  );
}

/** The same, but that the service fails is no excuse. */
export function isExcusedByItself(
  event: EventTask,
  events: readonly EventTask[],
  session: Session,
  end: number,
): boolean {
  return (
    isLimitReached(event, events, session, end) ||
    isRefused(event, session, end) ||
    (event.operation === "click"
      ? isClickInDoubt(event, events, session, end)
      : isViewInDoubt(event, session, end))
  );
}

/** Whether a limit is reached that the client declares. */
function isLimitReached(
  event: EventTask,
  events: readonly EventTask[],
  session: Session,
  end: number,
): boolean {
  const { promised, steps } = session;
  const ageMs = (steps[end]?.endMs ?? 0) - (event.asks[0]?.atMs ?? 0);
  return ageMs >= promised.maxAgeMs || isQueueFull(event, events, session, end);
}

/**
 * Whether more events waited than the client declares to keep, so that it may refuse this one or give it up. A click needs
 * its impression, too.
 *
 * @param end The last step that counts. @default the last of all
 */
export function isQueueFull(
  { asks, operation, view }: EventTask,
  events: readonly EventTask[],
  session: Session,
  end: number = session.steps.length - 1,
): boolean {
  const { promised, steps } = session;
  if (promised.maxQueued === Number.POSITIVE_INFINITY) return false;
  const first = asks[0]?.at ?? end;
  const isFull = steps.some(
    (_, at) => at >= first && at <= end && mostWaitingIn(at, events) > promised.maxQueued,
  );
  if (isFull || operation === "impression") return isFull;
  const shown = events.find((one) => one.operation === "impression" && one.view === view);
  return shown?.recorded.length === 0 && isQueueFull(shown, events, session, end);
}

/** How many reports wait in this step at most: those that the service hadn't confirmed in an earlier step. */
function mostWaitingIn(step: number, events: readonly EventTask[]): number {
  let waiting = 0;
  for (const { asks, sent } of events) {
    const confirmed = sent.findLast((one) => one.stepIndex < step && isCertainlyConfirmed(one));
    const since = confirmed?.stepIndex ?? -1;
    waiting += asks.filter(({ at }) => at > since && at <= step).length;
  }
  return waiting;
}

/** After so long without a request for an event nothing is under way for it. */
const QUIET_MS = 10 * MINUTE_MS;

/**
 * The reports of a view that the client had certainly given up before: it had said that its queue was empty, and nothing
 * kept it from sending.
 *
 * @param ends The steps after which the client said that its queue was empty.
 */
export function reportsAnew(
  { asks, sent, recorded }: EventTask,
  events: readonly EventTask[],
  ends: readonly number[],
): readonly PerformedCommand[] {
  return asks.filter(({ at, atMs, outcome }) => {
    const isBefore = ({ stepIndex }: { readonly stepIndex: number }): boolean => stepIndex < at;
    const last = sent.findLast(isBefore);
    if (last === undefined || recorded.some(isBefore) || outcome.kind !== "done") return false;
    const isIdle = ends.some((end) => end >= last.stepIndex && end < at);
    const pauses = events.flatMap((one) => one.sent.filter(isBefore).map(pausedUntilMs));
    return isIdle && last.atMs + QUIET_MS <= atMs && pauses.every((untilMs) => untilMs <= atMs);
  });
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
  const isEmpty = typeof (jsonIn(sent.got.body) ?? undefined) !== "object";
  return PASSING_STATUSES.includes(status) || isOfLimit(sent) || (status === 200 && isEmpty);
}

/** A click that may count already must not be sent again, and one without an impression's id can't be sent at all. */
function isClickInDoubt(
  click: EventTask,
  events: readonly EventTask[],
  { assumptions }: Session,
  end: number,
): boolean {
  const view = events.find((one) => one.operation === "impression" && one.view === click.view);
  const isKnown = view?.sent.some((one) => one.stepIndex <= end && isCertainlyConfirmed(one));
  const sinceMs = (click.asks[0]?.atMs ?? 0) - (view?.asks[0]?.atMs ?? 0);
  // If the service refuses clicks that come a day later, the client may know that.
  const isLate = sinceMs >= DAY_MS && assumptions["click.window"] !== "none";
  return isKnown !== true || isLate || sentFor(click, end).some((one) => !isOfLimit(one));
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

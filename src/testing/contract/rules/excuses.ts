/** When a client may give up on an event, besides after as many attempts as it declares. In doubt it may. */

import { DAY_MS, MINUTE_MS } from "../../../base/duration.ts";
import type { FaultRule } from "../../../faults/rule.ts";
import type { OperationId } from "../../../spec/operations.ts";
import {
  hasWrongEncoding,
  isConfirmed,
  isOfEvent,
  isOfLimit,
  mayPass,
  pausedUntilMs,
} from "../../session/sent.ts";
import type { Call, Sent } from "../../session/session.ts";
import type { AdEvent, Told } from "../../session/told.ts";

/** Whether the service reads none of the client's encodings. Then nothing else can be judged. */
export function isUnreadable({ requests }: Told): boolean {
  const events = requests.filter(isOfEvent);
  return (
    events.some(hasWrongEncoding) &&
    !events.some(({ served }) => served.some(({ status }) => status === 200))
  );
}

/** Whether nothing went wrong at any time: no fault rule, no limit, no refusal. */
export function wasCalm({ requests, changes }: Told): boolean {
  return (
    requests.every(({ fault, limit }) => fault === undefined && limit === undefined) &&
    changes.every(({ command }) => command.kind !== "spend")
  );
}

/** The call that closed the client first, if it ended. */
export function closingOf({ calls }: Told): Call | undefined {
  return calls.find(
    ({ command, outcome }) =>
      command.kind === "close" && (outcome.kind === "done" || outcome.kind === "failed"),
  );
}

/** The flushes and closings, in order. */
export function endingsOf({ calls }: Told): readonly Call[] {
  return calls.filter(({ command: { kind } }) => kind === "flush" || kind === "close");
}

export function isDone({ outcome }: Call): boolean {
  return outcome.kind === "done";
}

/** Whether the client has a queue that can be flushed. Then a method may resolve once an event is queued. */
export function hasQueue({ members }: Told): boolean {
  return members.includes("flush");
}

/** Requests for the event up to this step, without those in an encoding that the service doesn't read. */
export function sentFor({ sent }: AdEvent, end: Call): Sent[] {
  return sent.filter((one) => one.step <= end.step && !hasWrongEncoding(one));
}

/** Whether the client may have given the event up by the end of this call, however few attempts it made. */
export function isExcused(event: AdEvent, told: Told, end: Call): boolean {
  return isExcusedByItself(event, told, end) || isOutage(event, told, end);
}

/** The same, but that the service fails is no excuse. */
export function isExcusedByItself(event: AdEvent, told: Told, end: Call): boolean {
  const ageMs = end.endMs - (event.asks[0]?.atMs ?? 0);
  return (
    ageMs >= told.promised.maxAgeMs ||
    isQueueFull(told, end.step) ||
    wasRefused(event, told, end) ||
    (event.kind === "click" ? isClickInDoubt(event, told, end) : isViewInDoubt(event, end))
  );
}

/** Whether the client may have had no room for an event: until this step it was given more reports than it declares to keep. */
export function isQueueFull({ calls, promised }: Told, untilStep = Number.MAX_VALUE): boolean {
  const reports = calls.filter(({ shown, step }) => shown !== undefined && step <= untilStep);
  return reports.length > promised.maxQueued;
}

export function impressionOf({ view }: AdEvent, { events }: Told): AdEvent | undefined {
  return events.find((one) => one.kind === "impression" && one.view === view);
}

/** Whether an answer was final for the event, or for the key. */
function wasRefused(event: AdEvent, { requests }: Told, end: Call): boolean {
  return (
    sentFor(event, end).some((one) => !mayPass(one)) ||
    requests.some((one) => one.step <= end.step && mayEndKey(one))
  );
}

/** Whether a client may take the answer for a refusal of its key. */
export function mayEndKey(sent: Sent): boolean {
  const { status } = sent.got;
  return status === 401 || (status === 403 && !isOfLimit(sent));
}

/** A click that may count already must not be sent again, and one without an impression's id can't be sent at all. */
function isClickInDoubt(click: AdEvent, told: Told, end: Call): boolean {
  const view = impressionOf(click, told);
  const isKnown = view?.sent.some((one) => one.step <= end.step && isConfirmed(one));
  const sinceMs = (click.asks[0]?.atMs ?? 0) - (view?.asks[0]?.atMs ?? 0);
  // If the service refuses clicks that come a day later, the client may know that.
  const isLate = sinceMs >= DAY_MS && told.assumptions["click.window"] !== "none";
  // Of a view that was reported twice, the client may have returned a receipt that never got an id.
  const isTwice = (view?.asks.length ?? 0) > 1;
  const mayCount = sentFor(click, end).some((one) => !isOfLimit(one));
  return isKnown !== true || isTwice || isLate || mayCount;
}

/** An impression is safe to repeat if it has a session, and if the service hasn't forgotten that session. */
function isViewInDoubt(view: AdEvent, end: Call): boolean {
  const inDoubt = sentFor(view, end).find((one) => !isOfLimit(one));
  if (inDoubt === undefined) return false;
  return inDoubt.values.session_id === undefined || end.endMs - inDoubt.atMs >= 20 * MINUTE_MS;
}

/** A flush or close that gives up after this time may have a time limit. */
const DEADLINE_MS = 5000;

/** Whether the service still failed when the call ended, as far as the client could see. */
function isOutage({ kind }: AdEvent, told: Told, end: Call): boolean {
  const { promised, requests } = told;
  const sent = requests.filter((one) => one.step <= end.step);
  const failures = sent.filter(mayPass);
  if (failures.length === 0) return false;
  const isPaused = failures.some((one) => end.endMs < pausedUntilMs(one));
  const latest = sent.filter(({ step }) => step === end.step).slice(-promised.maxAttempts);
  const onlyFailed = latest.length >= promised.maxAttempts && latest.every(mayPass);
  const ranOut = end.endMs - end.atMs >= Math.min(DEADLINE_MS, promised.withinMs);
  return isPaused || onlyFailed || ranOut || hasFaultFor(kind, told, end.step);
}

/** Whether a fault rule could still hit such a request in this step, or in any step after it. */
export function hasFaultFor(
  operation: OperationId,
  { changes, requests }: Told,
  step: number,
): boolean {
  const before = changes.filter((one) => one.step <= step);
  const healed = before.findLastIndex(({ command }) => command.kind === "heal");
  const fired = requests.filter((one) => one.step <= step).map(({ fault }) => fault?.rule);
  return before.slice(healed + 1).some(({ command, result }) => {
    if (command.kind !== "fault") return false;
    const { operation: of = operation } = command.rule.match ?? {};
    const times = fired.filter((id) => id === result).length;
    return [of].flat().includes(operation) && times < mostTimes(command.rule);
  });
}

/** How often the rule applies at most, as far as that is certain. */
function mostTimes({ match: { times, nth } = {} }: FaultRule): number {
  const most = nth === undefined ? Number.POSITIVE_INFINITY : [nth].flat().length;
  return Math.min(times ?? most, most);
}

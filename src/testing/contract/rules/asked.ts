/** Which calls each request was for, and whether the caller asked again after it had learned of a failure. */

import { memberOf } from "../../../base/parse-json.ts";
import { queryKinds } from "../../session/command.ts";
import type { Call, Sent } from "../../session/session.ts";
import type { AdEvent, Told } from "../../session/told.ts";
import { endingsOf } from "./excuses.ts";

/** A request, and what it was for. */
export interface Asked {
  readonly sent: Sent;
  /** Undefined for a query. */
  readonly event: AdEvent | undefined;
  /** The calls that may have caused it. Of several queries at once it isn't known which one did. */
  readonly asks: readonly Call[];
  /** Whether a second request for the same can only be a repetition by the client. */
  readonly isOne: boolean;
}

/** All requests, in order. */
export function askedIn({ requests, events, calls }: Told): readonly Asked[] {
  const eventOf = new Map(
    events.flatMap((event) => event.sent.map((one) => [one, event] as const)),
  );
  return requests.map((sent): Asked => {
    const event = eventOf.get(sent);
    if (event !== undefined)
      return { sent, event, asks: event.asks, isOne: event.asks.length === 1 };
    const isQuery = queryKinds.some((kind) => kind === sent.operation);
    const asks = calls.filter(
      ({ step, command }) => step === sent.step && command.kind === sent.operation,
    );
    return { sent, event, asks, isOne: isQuery && asks.length === 1 };
  });
}

export function isRepeat(before: Asked, next: Asked): boolean {
  if (!next.isOne || next.event !== before.event) return false;
  return next.event !== undefined || next.asks[0] === before.asks[0];
}

/** A request takes its time to arrive. */
const ARRIVAL_MS = 100;

/** Whether the client sent the next one when it had the answer to the one before. In doubt it hadn't. */
export function isSentAfter({ isReal }: Told, before: Asked, next: Asked): boolean {
  const sinceMs = next.sent.atMs - (before.sent.gotMs ?? Number.POSITIVE_INFINITY);
  if (isRepeat(before, next)) return sinceMs >= 0;
  if (isReal) return sinceMs > ARRIVAL_MS;
  // In the same millisecond a later command also came after it.
  return sinceMs > 0 || (sinceMs === 0 && next.sent.step > before.sent.step);
}

/** Whether the client told its caller that the request failed, and the caller then asked for the next one. */
export function isAskedAgain(told: Told, failed: Asked, next: Asked): boolean {
  if (isRepeat(failed, next)) return false;
  const reports = [
    ...failed.asks.filter(({ outcome }) => outcome.kind === "failed"),
    ...endingsOf(told).filter(saysUndelivered),
  ].filter(({ step }) => step >= failed.sent.step);
  return reports.some((report) =>
    // What was asked for at the same time wasn't sent because of the failure.
    next.asks.some(
      ({ step, isTogether }) => step > report.step || (isTogether && step === report.step),
    ),
  );
}

function saysUndelivered({ outcome }: Call): boolean {
  const value = outcome.kind === "done" ? outcome.value : undefined;
  const counts = [memberOf(value, "impressions"), memberOf(value, "clicks")];
  return outcome.kind === "failed" || counts.some((count) => Number(count) > 0);
}

/** Whether the client took the event on: no call for it failed. */
export function isAccepted({ event }: Asked): boolean {
  return event?.asks.every(({ outcome }) => outcome.kind === "done") === true;
}

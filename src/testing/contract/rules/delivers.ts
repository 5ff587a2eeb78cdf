/** That a client delivers what it accepts, also after an outage (spec §1). */

import { MINUTE_MS } from "../../../base/duration.ts";
import { operationIds } from "../../../spec/operations.ts";
import { isConfirmed, mayPass, pausedUntilMs } from "../../session/sent.ts";
import type { Call } from "../../session/session.ts";
import type { AdEvent, Told } from "../../session/told.ts";
import { outcomeInWords } from "../../session/words.ts";
import {
  closingOf,
  endingsOf,
  hasFaultFor,
  impressionOf,
  isDone,
  isExcused,
  isQueueFull,
  isUnreadable,
  mayEndKey,
  sentFor,
  wasCalm,
} from "./excuses.ts";
import { type Breach, expecting, type Rule } from "./rule.ts";

export const delivers: Rule = {
  id: "delivers",
  says: "A client delivers every event that it accepts, unless the service keeps failing or the client reaches a limit that it declares; it works as long as the service does, and again after an outage",
  source: "spec §1",
  judge(told, came) {
    if (isUnreadable(told)) return undefined;
    const calmMs = calmSinceMs(told);
    for (const event of told.events) {
      const found = givenUp(event, told, came) ?? missed(event, told, calmMs, came);
      if (found !== undefined) return found;
    }
    return undefined;
  },
};

/** The client accepted the event, and hadn't delivered it by the end of a flush or close, without an excuse. */
function givenUp(event: AdEvent, told: Told, came: () => void): Breach | undefined {
  const { asks, recorded, name, kind } = event;
  const { maxAttempts } = told.promised;
  const closing = closingOf(told);
  for (const end of endingsOf(told)) {
    const before = asks.filter(({ step }) => step < end.step);
    // If the call failed, the caller knows. A flush that fails may leave events in the queue.
    const isAccepted = before.length > 0 && before.every(isDone);
    const isOver = isDone(end) || (end.outcome.kind === "failed" && end.command.kind === "close");
    if (!isAccepted || !isOver) continue;
    came();
    if (recorded.some(({ by }) => by.step <= end.step)) continue;
    const sent = sentFor(event, end);
    // A closing that is repeated ends at once. The first one gave up.
    const ends = closing !== undefined && closing.step < end.step ? [end, closing] : [end];
    const isGivenUp = ends.some((one) => isExcused(event, told, one));
    if (sent.length >= maxAttempts || isGivenUp) return undefined;
    const why = `The client accepted ${name}, and had not delivered it by the end of the ${end.command.kind}, when the service worked. Attempts: ${sent.length}. It may give up after ${maxAttempts}, or while the service still fails.`;
    return recorded.length > 0 ? { why } : expecting(why, told, kind, 1);
  }
  return undefined;
}

/** After so long without any trouble no client holds anything back. */
const CALM_MS = 10 * MINUTE_MS;

/**
 * From when on the service has worked for so long that every call has to succeed. Undefined if it never has, or if the client may
 * take its key for refused.
 */
export function calmSinceMs(told: Told): number | undefined {
  const { requests, changes, promised, world } = told;
  if (requests.some(mayEndKey)) return undefined;
  if (told.isReal && !wasCalm(told)) return undefined;
  if (operationIds.some((one) => hasFaultFor(one, told, Number.MAX_VALUE))) return undefined;
  const troubles = requests.filter(
    (one) => one.fault !== undefined || one.limit !== undefined || mayPass(one),
  );
  const spent = changes.filter(({ command: { kind } }) => kind === "spend" || kind === "heal");
  const lastMs = Math.max(
    0,
    ...troubles.map((one) => Math.max(pausedUntilMs(one), one.gotMs ?? one.atMs)),
    ...spent.map(({ command, atMs }) => (command.kind === "spend" ? atMs + 2 * MINUTE_MS : atMs)),
  );
  if (lastMs === 0) return world.startMs;
  return lastMs + Math.max(CALM_MS, promised.withinMs);
}

/** The service works, and has for long: the event's call has to succeed, and the event has to be recorded. */
function missed(
  event: AdEvent,
  told: Told,
  sinceMs: number | undefined,
  came: () => void,
): string | Breach | undefined {
  const { asks, recorded, name, kind } = event;
  const closed = closingOf(told)?.step ?? Number.MAX_VALUE;
  const isJudged = ({ atMs, step }: Call): boolean =>
    sinceMs !== undefined && atMs >= sinceMs && step < closed;
  const [first] = asks;
  if (first === undefined || !asks.every(isJudged)) return undefined;
  if (isQueueFull(told) || isTooLate(event, told)) return undefined;
  came();
  if (!asks.some(isDone))
    return `The service works, and nothing has gone wrong for long, but ${outcomeInWords(first.outcome)} for ${name}.`;
  const end = endingsOf(told).find(({ step }) => step >= first.step);
  const isTooOld = end !== undefined && end.endMs - first.atMs >= told.promised.maxAgeMs;
  if (recorded.length > 0 || isTooOld) return undefined;
  const why = `The client reported ${name}, and nothing has gone wrong for long. The service has no record of it.`;
  return expecting(why, told, kind, 1);
}

/** Whether the service may refuse it although nothing is wrong: a click that comes late, or on a view whose id the client can't know. */
function isTooLate(event: AdEvent, told: Told): boolean {
  if (event.kind === "impression") return false;
  const refused = told.requests.some(({ got: { status } }) => status === 410 || status === 409);
  const shown = impressionOf(event, told);
  const askedAt = event.asks[0]?.step ?? 0;
  // A view that is reported again may get its id after the client had to give up the click.
  const isKnown = shown?.sent.some(
    (one) => isConfirmed(one) && (shown.asks.length === 1 || one.step <= askedAt),
  );
  return refused || isKnown !== true;
}

/** That a client delivers what it accepts, also after an outage (spec §1). */

import { MINUTE_MS } from "../../../base/duration.ts";
import { isConfirmed, mayPass, pausedUntilMs } from "../../session/sent.ts";
import type { Call } from "../../session/session.ts";
import type { AdEvent, Told } from "../../session/told.ts";
import { outcomeInWords, timeInWords } from "../../session/words.ts";
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
  says: "A client delivers every event that it accepts, once, unless the service keeps failing or the client reaches a limit that it declares; it works as long as the service does, and again after an outage",
  source: "spec §1",
  judge(told, came) {
    if (isUnreadable(told)) return undefined;
    const calmMs = calmSinceMs(told);
    for (const event of told.events) {
      const found =
        misunderstood(event, told) ??
        givenUp(event, told, came) ??
        missed(event, told, calmMs, came);
      if (found !== undefined) return found;
    }
    return undefined;
  },
};

/** The service recorded the event and said so in time, and still the client says that it failed, or sends it again. */
function misunderstood(event: AdEvent, told: Told): string | undefined {
  const { asks, sent, name } = event;
  const [ask, ...others] = asks;
  const at = sent.findIndex(isConfirmed);
  const [confirmed, next] = sent.slice(at);
  if (at < 0 || confirmed === undefined || ask === undefined || others.length > 0) return undefined;
  const when = timeInWords(told, confirmed.atMs);
  if (next !== undefined)
    return `The client sent ${name} again at ${timeInWords(told, next.atMs)}, though the service had recorded it and said so at ${when}.`;
  const isEnding = told.calls.some(
    ({ step, command }) => step === ask.step && command.kind === "close",
  );
  const isFailed = ask.outcome.kind === "failed" && confirmed.step === ask.step && !isEnding;
  if (!isFailed) return undefined;
  return `The service recorded ${name} and said so at ${when}, but ${outcomeInWords(ask.outcome)}.`;
}

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
    const answers = sent.map(({ got }) => (got.status === 0 ? "no answer" : got.status));
    const tries =
      sent.length === 0 ? "It sent nothing for it" : `Its attempts got: ${answers.join(", ")}`;
    const why = `The client accepted ${name}, and had not delivered it by the end of the ${end.command.kind}, when the service worked. ${tries}. It may give up after ${maxAttempts} attempts, or while the service still fails.`;
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
  const last = Number.MAX_VALUE;
  const isFaulty = (["impression", "click", "stats", "surfaces", "payouts"] as const).some((one) =>
    hasFaultFor(one, told, last),
  );
  if (isFaulty) return undefined;
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

/** The service works, and has for long: the event's call has to succeed, and the event has to be recorded where it was shown. */
function missed(
  event: AdEvent,
  told: Told,
  sinceMs: number | undefined,
  came: () => void,
): string | Breach | undefined {
  const { asks, recorded, name, kind, view } = event;
  const closed = closingOf(told)?.step ?? Number.MAX_VALUE;
  const isJudged = ({ atMs, step }: Call): boolean =>
    sinceMs !== undefined && atMs >= sinceMs && step < closed;
  if (!asks.every(isJudged) || isQueueFull(event, told) || isTooLate(event, told)) return undefined;
  came();
  const [first] = asks;
  if (first === undefined) return undefined;
  if (!asks.some(isDone))
    return `The service works, and nothing has gone wrong for long, but ${outcomeInWords(first.outcome)} for ${name}.`;
  const end = endingsOf(told).find(({ step }) => step >= first.step);
  const isTooOld = end !== undefined && end.endMs - first.atMs >= told.promised.maxAgeMs;
  if (recorded.length === 0 && isTooOld) return undefined;
  if (recorded.length === 0)
    return expecting(
      `The client reported ${name}, and nothing has gone wrong for long. The service has no record of it.`,
      told,
      kind,
      1,
    );
  const elsewhere = recorded.find(
    ({ by }) => kind === "impression" && by.values.surface !== view.surface,
  );
  if (elsewhere === undefined) return undefined;
  return `${name} was shown on ${view.surface}. It is recorded on ${elsewhere.by.values.surface}.`;
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

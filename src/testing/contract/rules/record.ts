/** What the service has on record in the end: every event once, and nothing lost without a word (spec §1, §4). */

import { counted } from "../../../base/counted.ts";
import { memberOf } from "../../../base/parse-json.ts";
import { dedupWindowOf } from "../../../exchange/operations/time-choices.ts";
import { type EventKind, eventKinds } from "../../../spec/operations.ts";
import { isConfirmed } from "../../session/sent.ts";
import type { Call } from "../../session/session.ts";
import type { AdEvent, Recorded, Told } from "../../session/told.ts";
import { timeInWords, valueInWords } from "../../session/words.ts";
import { closingOf, endingsOf, hasQueue, isDone, isUnreadable, wasCalm } from "./excuses.ts";
import { type Breach, expecting, type Rule } from "./rule.ts";

const once: Rule = {
  id: "once",
  says: "No impression and no click counts twice, whatever happens to the answer, and however often it is reported",
  source: "spec §1, §4",
  judge(told, came) {
    for (const event of told.events) {
      const { name, kind, sent, recorded } = event;
      const extra = extraOf(event, told);
      if (extra === undefined || recorded.length === 0) continue;
      came();
      if (extra.length === 0) continue;
      const ids = recorded.map(({ id }) => id).join(", ");
      const why = `The client reported ${name} in ${counted(sent.length, "request")}, and the service recorded it ${recorded.length} times: ${ids}.`;
      return expecting(why, told, kind, -extra.length);
    }
    return undefined;
  },
};

/** The records that shouldn't exist; undefined if the assumptions give the client no way to prevent them. */
function extraOf(event: AdEvent, told: Told): readonly Recorded[] | undefined {
  const { kind, views, asks, recorded } = event;
  if (kind === "click") {
    // Clicks have no identity: each requested click may count, and each copy by the network. The client caused the others.
    return recorded.slice(asks.length + recorded.filter(({ isCopy }) => isCopy).length);
  }
  if (told.assumptions["dedup.repeat"] === "count") {
    // The service counts every request, and a session id, the spec's only remedy, doesn't help.
    return wasCalm(told) ? recorded.slice(asks.length) : undefined;
  }
  // The spec doesn't say how long a session is remembered, so a repeat after the window is allowed.
  const windowMs = dedupWindowOf(told.assumptions);
  const tooSoon = recorded.filter(
    ({ by }, at) => by.atMs - (recorded[at - views.length]?.by.atMs ?? -windowMs) < windowMs,
  );
  return tooSoon.slice(laterViews(event));
}

/** A client that makes its own session ids can't tell a view that is reported again from a new one. */
function laterViews({ views, asks, recorded, hasGivenSession }: AdEvent): number {
  const sessions = new Set(recorded.map(({ by }) => by.values.session_id));
  const isTold = hasGivenSession || sessions.has(undefined);
  return isTold || sessions.size < recorded.length ? 0 : asks.length - views.length;
}

const nothingLost: Rule = {
  id: "nothing-lost",
  says: "Every event that the client reported as delivered is recorded, and so is what it was given before a flush or close that resolves, unless it counts it as undelivered",
  source: "spec §1",
  judge(told, came) {
    if (isUnreadable(told)) return undefined;
    const flushes = endingsOf(told).filter(({ command }) => command.kind === "flush");
    // A client whose flushes don't all say both numbers is judged by its close alone.
    const areCounted = flushes.every(saysBoth);
    for (const end of hasQueue(told) ? endingsOf(told) : []) {
      if (end.outcome.kind !== "done") continue;
      const isJudged = end.command.kind === "close" || areCounted;
      const found = (isJudged ? lostBefore(told, end) : undefined) ?? unfinishedAt(told, end);
      if (found !== undefined) return found;
    }
    if (told.events.some(({ asks }) => asks.some(isDone))) came();
    return lostBefore(told, undefined);
  },
};

function saysBoth({ outcome }: Call): boolean {
  const value = outcome.kind === "done" ? outcome.value : undefined;
  return eventKinds.every((kind) => undeliveredIn(value, kind) !== undefined);
}

/** @param end A flush or close that resolved. Undefined: the end of the session. */
function lostBefore(told: Told, end: Call | undefined): Breach | undefined {
  const excusedTo = lastFailedEnding(told, end);
  const isMeant = (ask: Call): boolean =>
    isDone(ask) &&
    ask.step > excusedTo &&
    isGivenBefore(told, ask, end) &&
    (end === undefined || ask.endMs <= end.endMs);
  for (const kind of eventKinds) {
    const missing = told.events.filter(
      (event) =>
        event.kind === kind &&
        event.asks.some(isMeant) &&
        // A 409 may say that the event is on record, even if it isn't.
        !event.sent.some(({ got }) => got.status === 409) &&
        !event.recorded.some(({ by }) => end === undefined || by.atMs <= end.endMs),
    );
    const undelivered = undeliveredUntil(told, kind, end);
    if (missing.length <= undelivered) continue;
    const lost = missing.filter(({ recorded }) => recorded.length === 0).length - undelivered;
    const names = missing.map(({ name }) => name).join(", ");
    const when =
      end && ` when the ${end.command.kind} resolved, at ${timeInWords(told, end.endMs)}`;
    const why = `The client reported ${names} as delivered, but the service had no record of it${when ?? ""}. It called ${undelivered} undelivered.`;
    return lost > 0 ? expecting(why, told, kind, lost) : { why };
  }
  return undefined;
}

function isGivenBefore({ calls }: Told, ask: Call, end: Call | undefined): boolean {
  return end === undefined || calls.indexOf(ask) < calls.indexOf(end);
}

/** Over a socket, what ends at the same time may differ by some milliseconds. */
const SAME_MS = 100;

/** Calls that were given before a flush or close, and were still under way when it resolved. */
function unfinishedAt(told: Told, end: Call): string | undefined {
  const pending = told.calls.filter(
    (call) =>
      call.shown !== undefined &&
      call.step === end.step &&
      isGivenBefore(told, call, end) &&
      call.endMs > end.endMs + SAME_MS,
  );
  const undelivered = eventKinds.reduce((sum, kind) => sum + undeliveredUntil(told, kind, end), 0);
  if (pending.length <= undelivered) return undefined;
  return `The client's ${end.command.kind} resolved at ${timeInWords(told, end.endMs)}, while calls to report events that it was given before were still under way: ${pending.length}. It called ${undelivered} undelivered.`;
}

/** Step of the last flush or close that failed or never ended. Its failure tells the caller that earlier events may be lost. */
function lastFailedEnding(told: Told, end: Call | undefined): number {
  const failed = endingsUntil(told, end).findLast((one) => !isDone(one));
  return failed?.step ?? Number.NEGATIVE_INFINITY;
}

function endingsUntil(told: Told, end: Call | undefined): readonly Call[] {
  return endingsOf(told).filter(({ step }) => end === undefined || step <= end.step);
}

/** The count from the first closing, which covers the whole session; otherwise the sum of the counts from the flushes. */
function undeliveredUntil(told: Told, kind: EventKind, end: Call | undefined): number {
  const counts = endingsUntil(told, end).flatMap(({ command, outcome, step }) => {
    const count = undeliveredIn(outcome.kind === "done" ? outcome.value : undefined, kind);
    return count === undefined ? [] : [{ count, step, of: command.kind }];
  });
  const ofFlushes = counts.filter(({ of }) => of === "flush");
  const flushed = ofFlushes.reduce((sum, { count }) => sum + count, 0);
  const closings = counts.filter(({ of }) => of === "close");
  // Of several closings at once, one may have the counts.
  const closed = closings
    .filter(({ step }) => step === closings[0]?.step)
    .map(({ count }) => count);
  if (closed.length === 0) return flushed;
  return Math.max(...closed, end?.command.kind === "flush" ? flushed : 0);
}

const countNames = { impression: "impressions", click: "clicks" } as const;

/** What a flush or close says of the events that it couldn't deliver; undefined if it says nothing. */
function undeliveredIn(value: unknown, kind: EventKind): number | undefined {
  const count = memberOf(value, countNames[kind]);
  return isCount(count) ? count : undefined;
}

function isCount(count: unknown): count is number {
  return typeof count === "number" && Number.isInteger(count) && count >= 0;
}

const countsTrue: Rule = {
  id: "counts-true",
  says: "What a flush or close says of undelivered events is their number, counts none that the client knows to be recorded, and doesn't change afterwards",
  source: "spec §1",
  needs: ["close"],
  judge(told, came) {
    const closing = closingOf(told);
    const isCalm = wasCalm(told);
    for (const end of endingsOf(told)) {
      if (end.outcome.kind !== "done") continue;
      came();
      const { value } = end.outcome;
      const what = end.command.kind;
      if (end.later !== undefined)
        return `The client's ${what} resolved with ${valueInWords(value)}, and later that was ${valueInWords(end.later)}.`;
      for (const kind of eventKinds) {
        const count = memberOf(value, countNames[kind]);
        if (count === undefined) continue;
        if (!isCount(count))
          return `The client's ${what} resolved with ${countNames[kind]}: ${valueInWords(count)}. That must be the number of ${countNames[kind]} that it couldn't deliver: 0, 1, 2, …`;
        // After a failure a flush may have given up on events that are delivered later.
        if (end !== closing && !(what === "flush" && isCalm)) continue;
        const { given, open } = countsUntil(end, kind, told);
        if (count > open)
          return `The client reports ${count} ${kind}s as undelivered at the ${what}. It was given ${given}, and knows that ${given - open} are recorded.`;
      }
    }
    return undefined;
  },
};

/** How many events the client was given up to this call, and how many of them it doesn't know to be recorded. */
function countsUntil(
  end: Call,
  kind: EventKind,
  { events }: Told,
): { readonly given: number; readonly open: number } {
  let [given, open] = [0, 0];
  for (const event of events) {
    if (event.kind !== kind) continue;
    const asked = event.asks.filter(({ step }) => step <= end.step).length;
    // After a lost answer or a conflict the client can't know, so it may report the event as undelivered or not.
    const confirmed = event.sent.filter((one) => one.step <= end.step && isConfirmed(one));
    given += asked;
    open += Math.max(0, asked - confirmed.length);
  }
  return { given, open };
}

export const recordRules: readonly Rule[] = [once, nothingLost, countsTrue];

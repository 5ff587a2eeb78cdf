/**
 * How long calls take, how a client waits when it is told to, and what it sends after a refusal (spec §5, §7, §8). For that: which
 * calls each request was for, and whether the caller asked again after it had learned of a failure.
 */

import { durationInWords } from "../../../base/duration.ts";
import { memberOf } from "../../../base/parse-json.ts";
import { type LimitClass, operations } from "../../../spec/operations.ts";
import { isOfClient, queryKinds } from "../../session/command.ts";
import { requestBudget } from "../../session/run-session.ts";
import {
  hasWrongEncoding,
  isAcknowledged,
  isKeyRefused,
  isRefused,
  retryAtMs,
} from "../../session/sent.ts";
import type { Call, Sent } from "../../session/session.ts";
import type { AdEvent, Told } from "../../session/told.ts";
import { commandInWords, errorInWords, outcomeInWords, timeInWords } from "../../session/words.ts";
import { isOrdinary, isQuery } from "./answers.ts";
import { closingOf, endingsOf, isQueueFull } from "./excuses.ts";
import type { Rule } from "./rule.ts";

const ends: Rule = {
  id: "ends",
  says: `The client starts, every call ends within six hours and ${requestBudget}, and no timer throws`,
  source: "spec §7",
  judge(told, came) {
    const { calls, requests, threw } = told;
    if (threw !== undefined)
      return `A timer of the client threw an error at ${timeInWords(told, threw.atMs)}: ${errorInWords(threw.error)}. Nothing can catch that: in Node it ends the process.`;
    for (const { command, outcome, atMs } of calls) {
      came();
      if (command.kind === "open" && outcome.kind !== "done")
        return `The service worked when the client was made, but ${outcomeInWords(outcome)}.`;
      // How long a call may take beyond a wait that the service demands, another rule says.
      const isTold =
        outcome.kind === "endless" && requests.some((one) => (retryAtMs(one) ?? 0) > atMs);
      const why = isTold ? undefined : unended[outcome.kind];
      if (why !== undefined) return `A call never ends (${commandInWords(command)}): ${why}.`;
    }
    return undefined;
  },
};

/** Why a call has no end, by its outcome. */
const unended: Readonly<Partial<Record<Call["outcome"]["kind"], string>>> = {
  stuck: "it waits only for an answer that never comes",
  endless: "it still waits after six hours, or after two minutes of real time",
  flooded: `it sent more than ${requestBudget}`,
};

const inTime: Rule = {
  id: "in-time",
  says: "Every call ends within the time that the driver promises (withinMs, 10 minutes by default), besides the waits that Retry-After demands",
  source: "spec §7, RFC 9110 §10.2.3",
  needs: ["virtualTime"],
  judge(told, came) {
    const { withinMs } = told.promised;
    const waits = told.requests.map((one) => ({
      fromMs: one.gotMs ?? one.atMs,
      untilMs: retryAtMs(one) ?? 0,
    }));
    for (const { command, outcome, atMs, endMs, step } of told.calls) {
      if (!isOfClient(command) || outcome.kind === "stuck" || outcome.kind === "flooded") continue;
      came();
      const during = waits.filter(({ fromMs, untilMs }) => fromMs < endMs && untilMs > atMs);
      const fromMs = Math.max(atMs, Math.min(...during.map((one) => one.fromMs)));
      const untilMs = Math.min(endMs, Math.max(...during.map((one) => one.untilMs)));
      const demandedMs = during.length === 0 ? 0 : untilMs - fromMs;
      const tookMs = endMs - atMs - demandedMs;
      if (tookMs <= withinMs) continue;
      // A call may have to wait until the events before it are delivered, or given up.
      const isGiven = ({ asks }: AdEvent): boolean => asks.some((ask) => ask.step <= step);
      const count = Math.max(1, told.events.filter(isGiven).length);
      if (tookMs <= count * withinMs) continue;
      const each = count > 1 ? ` for each of the ${count} events until then` : "";
      return `The client's ${commandInWords(command)} took ${durationInWords(tookMs)} besides the waits that Retry-After demanded. Its driver promises ${durationInWords(withinMs)}${each}. If it is meant to take longer, declare \`withinMs\`.`;
    }
    return undefined;
  },
};

/** A client's timer may fire a little early, and its clock may be a little ahead. */
const TOLERANCE_MS = 50;

const waitsAsTold: Rule = {
  id: "waits-as-told",
  says: "After an answer with Retry-After the client sends nothing of the kind before that time has passed, whatever the status",
  source: "spec §8, RFC 9110 §10.2.3",
  judge(told, came) {
    const all = askedIn(told);
    for (const [at, before] of all.entries()) {
      const { gotMs } = before.sent;
      const untilMs = retryAtMs(before.sent);
      if (untilMs === undefined || gotMs === undefined || untilMs <= gotMs) continue;
      came();
      for (const next of all.slice(at + 1)) {
        const { sent } = next;
        if (isEarly(told, before, next, untilMs))
          return `${inWords(before)} was answered with ${before.sent.got.status} at ${timeInWords(told, gotMs)}, with a Retry-After of ${durationInWords(untilMs - gotMs)}. The client sent ${inWords(next)} ${durationInWords(sent.atMs - gotMs)} after that.`;
        // A success says that the wait is over.
        const isSame = sent.operation === before.sent.operation;
        if (isSame && sent.atMs >= gotMs && isAcknowledged(sent)) break;
      }
    }
    return undefined;
  },
};

function isEarly(told: Told, before: Asked, next: Asked, untilMs: number): boolean {
  if (next.sent.atMs >= untilMs - TOLERANCE_MS || !isSentAfter(told, before, next)) return false;
  // What was sent in a wrong encoding was on its way already.
  if (next.event?.sent.some(hasWrongEncoding) === true) return false;
  if (isRepeat(before, next)) return true;
  const isSame = next.sent.operation === before.sent.operation;
  const isSameLimit = next.sent.limit !== undefined && next.sent.limit === before.sent.limit;
  if (!isSame && !isSameLimit) return false;
  return !isAskedAgain(told, before, next);
}

function inWords({ event, sent }: Asked): string {
  return event?.name ?? sent.operation ?? `${sent.request.method} ${sent.request.path}`;
}

/** A call that a limit doesn't concern ends within this time. */
const PROMPT_MS = 30_000;

const otherLimit: Rule = {
  id: "other-limit",
  says: "While one limit is used up, the client still sends requests that count against the other",
  source: "spec §8",
  needs: ["stats", "virtualTime"],
  judge(told, came) {
    const { requests, calls } = told;
    const closed = closingOf(told)?.step ?? Number.MAX_VALUE;
    for (const refused of requests) {
      const { got, gotMs, operation } = refused;
      // A client may take a 503 for a failure of the whole service.
      const untilMs = got.status === 429 ? retryAtMs(refused) : undefined;
      if (gotMs === undefined || untilMs === undefined || operation === undefined) continue;
      const { limit } = operations[operation];
      // A client may have its own reasons to wait after a failure.
      const isUndisturbed = requests.every(
        (one) => one.atMs >= untilMs || limitOf(one) === limit || isAcknowledged(one),
      );
      const during = calls.filter(
        (call) =>
          call.atMs > gotMs &&
          call.atMs <= untilMs - PROMPT_MS &&
          call.step < closed &&
          isOfOther(call, limit, told) &&
          !isQueueFull(told, call.step),
      );
      if (!isUndisturbed || during.length === 0) continue;
      came();
      const delayed = during.find(
        ({ outcome, endMs }) => outcome.kind === "failed" || endMs >= untilMs - TOLERANCE_MS,
      );
      if (delayed !== undefined)
        return `The client was asked for ${commandInWords(delayed.command, delayed.shown)} while only the ${limit} limit was used up, ${durationInWords(untilMs - delayed.atMs)} before the end of its Retry-After. It ${delayed.outcome.kind === "failed" ? "failed" : "took that long"}.`;
    }
    return undefined;
  },
};

function limitOf({ operation }: Sent): LimitClass | undefined {
  return operation === undefined ? undefined : operations[operation].limit;
}

/** Whether the call needs nothing that counts against this limit. A click may wait for its impression. */
function isOfOther(call: Call, limit: LimitClass, told: Told): boolean {
  const { command, atMs } = call;
  if (limit === "reporting") return command.kind === "impression" || command.kind === "flush";
  return isQuery(call) && isOrdinary({ command: call.command, atMs }, told);
}

const finalRefusals: Rule = {
  id: "final-refusals",
  says: "A client doesn't send again unchanged what was refused for good, and sends nothing more with a key that was refused",
  source: "spec §5, §7, RFC 9110 §15.5",
  judge(told, came) {
    const all = askedIn(told);
    for (const [at, before] of all.entries()) {
      if (!isRefused(before.sent)) continue;
      came();
      const { status } = before.sent.got;
      const isKey = isKeyRefused(before.sent);
      for (const next of all.slice(at + 1)) {
        const when = timeInWords(told, next.sent.atMs);
        if (isKey && isWithRefusedKey(told, before, next))
          return `The service refused the key with ${status}. The client sent ${inWords(next)} with it at ${when}.`;
        if (!isKey && isSameAgain(told, before, next))
          return `${inWords(before)} was refused with ${status}. The client sent it again unchanged at ${when}.`;
        const worksAgain = next.sent.atMs >= (before.sent.gotMs ?? 0) && isAcknowledged(next.sent);
        if (isKey && worksAgain) break;
      }
    }
    return undefined;
  },
};

function isSameAgain(told: Told, before: Asked, next: Asked): boolean {
  const [one, other] = [before.sent.request, next.sent.request];
  const isSame = one.query === other.query && one.body === other.body;
  const isOfEncoding = hasWrongEncoding(before.sent);
  return isSame && !isOfEncoding && isRepeat(before, next) && isSentAfter(told, before, next);
}

/** If each call fails by itself, it is up to the caller whether to try again. But what the client has taken on must not be sent. */
function isWithRefusedKey(told: Told, refused: Asked, next: Asked): boolean {
  const { gotMs, request } = refused.sent;
  const isSameKey = next.sent.request.headers.authorization === request.headers.authorization;
  if (gotMs === undefined || !isSameKey || !isSentAfter(told, refused, next)) return false;
  if (isRepeat(refused, next) || (isAccepted(refused) && next.event !== undefined)) return true;
  // A driver may join two clients, one for events and one for queries. Each has to learn of the refusal.
  const isOther = (refused.event === undefined) !== (next.event === undefined);
  // Calls that wait in the client for the end of a pause may fail each by itself.
  const isAskedSince = next.asks.some(({ atMs }) => atMs >= gotMs && atMs <= next.sent.atMs);
  return isAskedSince && !isOther && !isAskedAgain(told, refused, next);
}

export const timeRules: readonly Rule[] = [ends, inTime, waitsAsTold];
export const refusalRules: readonly Rule[] = [otherLimit, finalRefusals];

/** A request, and what it was for. */
interface Asked {
  readonly sent: Sent;
  /** Undefined for a query. */
  readonly event: AdEvent | undefined;
  /** The calls that may have caused it. Of several queries at once it isn't known which one did. */
  readonly asks: readonly Call[];
  /** Whether a second request for the same can only be a repetition by the client. */
  readonly isOne: boolean;
}

/** All requests, in order. */
function askedIn({ requests, events, calls }: Told): readonly Asked[] {
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

function isRepeat(before: Asked, next: Asked): boolean {
  if (!next.isOne || next.event !== before.event) return false;
  return next.event !== undefined || next.asks[0] === before.asks[0];
}

/** A request takes its time to arrive. */
const ARRIVAL_MS = 100;

/** Whether the client sent the next one when it had the answer to the one before. In doubt it hadn't. */
function isSentAfter({ isReal }: Told, before: Asked, next: Asked): boolean {
  const sinceMs = next.sent.atMs - (before.sent.gotMs ?? Number.POSITIVE_INFINITY);
  if (isRepeat(before, next)) return sinceMs >= 0;
  if (isReal) return sinceMs > ARRIVAL_MS;
  // In the same millisecond a later command also came after it.
  return sinceMs > 0 || (sinceMs === 0 && next.sent.step > before.sent.step);
}

/** Whether the client told its caller that the request failed, and the caller then asked for the next one. */
function isAskedAgain(told: Told, failed: Asked, next: Asked): boolean {
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
function isAccepted({ event }: Asked): boolean {
  return event?.asks.every(({ outcome }) => outcome.kind === "done") === true;
}

/** Finds requests that came sooner than an answer's Retry-After allowed. */

import { operations } from "../../spec/operations.ts";
import { type Attempt, isServed, isTimed } from "./attempt.ts";
import { cameAfterText, durationText, type FindingKind, type Offence } from "./finding.ts";
import { type SentAfter, sentAfter } from "./sent-after.ts";

/** A client's timer may fire a little early, and its clock may be a little ahead. */
const TOLERANCE_MS = 50;

export const beforeRetryAfter: FindingKind = {
  title: "Requests before the end of Retry-After",
  explanation:
    "The answer said how long to wait, and the client sent more before that. A good client sends nothing that counts against the same limit until the wait is over. A date counts from the answer's Date: the client's own clock may show another time.",
  spec: "§8, and RFC 9110 §10.2.3",
  find(attempts) {
    const waits = new Map<string, Wait>();
    return attempts.flatMap((attempt) => {
      const broken = keysOf(attempt).flatMap((key) => {
        const wait = waits.get(key);
        const offence = wait && offenceOf(wait, attempt);
        const next = waitAfter(wait, attempt);
        if (next === undefined) waits.delete(key);
        else waits.set(key, next);
        return offence ?? [];
      });
      return (broken.find(({ isDoubtful }) => isDoubtful !== true) ?? broken[0]) || [];
    });
  },
};

interface Wait {
  /** The attempt whose answer asked for it. */
  readonly cause: Attempt;
  /** A shorter wait for another request doesn't end this one. */
  readonly untilMs: number;
  readonly when: SentAfter;
}

/**
 * What an attempt's answer may ask to wait with: this event, the operation, and if it was the limit's, whatever else that
 * refuses. The spec leaves open which requests count against the same limit.
 */
function keysOf({ who, isOneEvent, requestKey, record }: Attempt): readonly string[] {
  const { operation, path, producedBy } = record;
  const isLimited = producedBy === "limit" && operation !== undefined;
  return [
    ...(isOneEvent ? [requestKey] : []),
    `${who} ${operation ?? path}`,
    ...(isLimited ? [`${who} ${operations[operation].limit}`] : []),
  ];
}

/** Undefined if the attempt was in time, or sent before the client knew of the wait. */
function offenceOf({ cause, untilMs, when }: Wait, attempt: Attempt): Offence | undefined {
  const sent = when(attempt);
  const { nowMs } = attempt.record;
  if (sent === "no" || !isTimed(cause, attempt) || nowMs >= untilMs - TOLERANCE_MS)
    return undefined;
  const hint = cause.record.response.headers["retry-after"] ?? "";
  const date = hint.endsWith(" GMT") ? `, until ${hint}` : "";
  const wait = durationText((cause.retryAtMs ?? 0) - (cause.answeredMs ?? 0));
  const detail = `wait ${wait}${date}; ${cameAfterText(cause, attempt)}`;
  return { attempt, cause, detail, isDoubtful: sent === "perhaps" };
}

/** The wait in force after an attempt's answer. */
function waitAfter(wait: Wait | undefined, attempt: Attempt): Wait | undefined {
  const { retryAtMs, answeredMs, record } = attempt;
  const isTold = retryAtMs !== undefined && answeredMs !== undefined && retryAtMs > answeredMs;
  // A request that was under way when the wait began doesn't end it.
  const isSince = record.nowMs >= (wait?.cause.answeredMs ?? 0);
  const isOver =
    wait === undefined ||
    !isTimed(wait.cause, attempt) ||
    (isSince && (isServed(attempt) || record.nowMs >= wait.untilMs - TOLERANCE_MS));
  if (!isTold) return isOver ? undefined : wait;
  if (isOver) return { cause: attempt, untilMs: retryAtMs, when: sentAfter(attempt) };
  return { ...wait, untilMs: Math.max(wait.untilMs, retryAtMs) };
}

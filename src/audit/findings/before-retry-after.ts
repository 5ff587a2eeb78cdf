/** Finds requests that came sooner than an answer's Retry-After allowed. */

import { operations } from "../../spec/operations.ts";
import { type Attempt, type AttemptHistory, isServed, isTimed } from "./attempts.ts";
import { cameAfterText, durationText, type FindingKind, type Offence } from "./finding.ts";

/** A client's timer may fire a little early, and its clock may be a little ahead. */
const TOLERANCE_MS = 50;
/** Retry-After has whole seconds, so two answers that mean the same instant can name times that differ by this much. */
const PRECISION_MS = 1000;

export const beforeRetryAfter: FindingKind = {
  title: "Requests before the end of Retry-After",
  explanation:
    "The answer said how long to wait, and the client sent more before that. A good client sends nothing that counts against the same limit until the wait is over. A date counts from the answer's Date: the client's own clock may show another time.",
  spec: "§8, and RFC 9110 §10.2.3",
  find: offencesIn,
  opportunityCount: ({ attempts }) =>
    attempts.filter(({ retryAtMs = 0, answeredMs = retryAtMs }) => retryAtMs > answeredMs).length,
};

function offencesIn({ attempts, sentAfter, isRequestedAgain }: AttemptHistory): Offence[] {
  const offences: Offence[] = [];
  const waits = new Map<string, Wait>();
  // A rule's answer to one request holds for that request, whatever the answers to others say.
  const latestByRequest = new Map<string, Attempt>();
  for (const attempt of attempts) {
    const pool = poolOf(attempt);
    const wait = waits.get(pool);
    const own = attempt.isOneEvent ? latestByRequest.get(attempt.requestKey) : undefined;
    const isAfter = wait?.isSentAfter(attempt) ?? false;
    const cause =
      own !== undefined && isEarly(own, attempt)
        ? own
        : wait !== undefined && isAfter && concerns(wait, attempt) && isEarly(wait.longest, attempt)
          ? wait.longest
          : undefined;
    if (cause !== undefined && !isRequestedAgain(cause, attempt)) {
      offences.push({ attempt, cause, detail: detail(cause, attempt) });
    }
    if (attempt.isOneEvent) latestByRequest.set(attempt.requestKey, attempt);
    const next = waitAfter(wait, attempt, sentAfter);
    if (next === undefined) waits.delete(pool);
    else waits.set(pool, next);
  }
  return offences;
}

interface Wait {
  /** The attempt whose answer first asked for the wait. */
  readonly since: Attempt;
  /** The attempt whose answer names the latest end: a shorter wait for another request doesn't end this one. */
  readonly longest: Attempt;
  isSentAfter(attempt: Attempt): boolean;
}

/** Groups one sender's requests that may count against the same limit. The spec leaves open which do. */
function poolOf({ who, record: { operation, path } }: Attempt): string {
  return `${who}\n${operation === undefined ? path : operations[operation].limit}`;
}

/** The wait in force after an attempt's answer. */
function waitAfter(
  wait: Wait | undefined,
  attempt: Attempt,
  after: AttemptHistory["sentAfter"],
): Wait | undefined {
  const { retryAtMs, answeredMs } = attempt;
  const before = wait !== undefined && isOver(wait, attempt) ? undefined : wait;
  if (retryAtMs === undefined || answeredMs === undefined || retryAtMs <= answeredMs) {
    // The service works again, so the wait is over.
    const isBack = isServed(attempt) && before !== undefined && isSince(before.since, attempt);
    return isBack && concerns(before, attempt) ? undefined : before;
  }
  if (before === undefined) {
    return { since: attempt, longest: attempt, isSentAfter: after(attempt) };
  }
  const isShorter = retryAtMs < (before.longest.retryAtMs ?? 0) - PRECISION_MS;
  return isShorter ? before : { ...before, longest: attempt };
}

/** Whether the wait has passed. A request that was under way when it began doesn't end it. */
function isOver({ longest }: Wait, attempt: Attempt): boolean {
  if (!isTimed(longest, attempt)) return true;
  return isSince(longest, attempt) && !isEarly(longest, attempt);
}

/** Whether it was sent when the client had the answer, or in the same millisecond. */
function isSince({ answeredMs = 0 }: Attempt, { record }: Attempt): boolean {
  return record.nowMs >= answeredMs;
}

/** Whether the wait holds for this attempt: it has the same operation, or both were refused by the limit. */
function concerns({ since, longest }: Wait, { record }: Attempt): boolean {
  const { operation } = record;
  return (
    operation === since.record.operation ||
    operation === longest.record.operation ||
    (record.producedBy === "limit" && longest.record.producedBy === "limit")
  );
}

function isEarly(before: Attempt, next: Attempt): boolean {
  const { retryAtMs, answeredMs } = before;
  if (retryAtMs === undefined || answeredMs === undefined || !isTimed(before, next)) return false;
  const { nowMs } = next.record;
  return nowMs >= answeredMs && nowMs < retryAtMs - TOLERANCE_MS;
}

function detail(before: Attempt, attempt: Attempt): string {
  const { retryAtMs = 0, answeredMs = 0, record } = before;
  const hint = record.response.headers["retry-after"] ?? "";
  const until = / GMT$/.test(hint) ? `, until ${hint}` : "";
  return `wait ${durationText(retryAtMs - answeredMs)}${until}; ${cameAfterText(before, attempt)}`;
}

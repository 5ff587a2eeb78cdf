/** Requests that came before the wait was over that an answer had asked for. */

import { operations } from "../../spec/operations.ts";
import { type Attempt, type AttemptHistory, isServed, isTimed } from "./attempts.ts";
import { cameAfterText, durationText, type FindingKind, type Offence } from "./finding.ts";

/** A client's timer may ring a little early, and its clock be a little ahead. */
const TOLERANCE_MS = 50;

export const beforeRetryAfter: FindingKind = {
  title: "Requests before the end of Retry-After",
  explanation:
    "The answer said how long to wait, and the client sent more before that. A good client sends nothing that counts against the same limit until the wait is over.",
  spec: "§8, and RFC 9110 §10.2.3",
  find: offencesIn,
  opportunityCount: ({ attempts }) =>
    attempts.filter(({ retryAtMs = 0, answeredMs = retryAtMs }) => retryAtMs > answeredMs).length,
};

function offencesIn({ attempts, sentAfter, isRequestedAgain }: AttemptHistory): Offence[] {
  const offences: Offence[] = [];
  const waits = new Map<string, Wait>();
  // What a rule says of one request holds for that one, whatever others are told meanwhile.
  const asked = new Map<string, Attempt>();
  for (const attempt of attempts) {
    const pool = poolOf(attempt);
    const wait = waits.get(pool);
    const own = attempt.isOneEvent ? asked.get(attempt.requestKey) : undefined;
    const isAfter = wait?.isSentAfter(attempt) ?? false;
    const cause =
      own !== undefined && isEarly(own, attempt)
        ? own
        : wait !== undefined && isAfter && concerns(wait, attempt) && isEarly(wait.latest, attempt)
          ? wait.latest
          : undefined;
    if (cause !== undefined && !isRequestedAgain(cause, attempt)) {
      offences.push({ attempt, cause, detail: detail(cause, attempt) });
    }
    if (attempt.isOneEvent) asked.set(attempt.requestKey, attempt);
    const next = waitAfter(wait, attempt, sentAfter);
    if (next === undefined) waits.delete(pool);
    else waits.set(pool, next);
  }
  return offences;
}

interface Wait {
  /** What asked first. */
  readonly since: Attempt;
  /** What asked last: its word counts. */
  readonly latest: Attempt;
  isSentAfter(attempt: Attempt): boolean;
}

/** The requests that may count against one limit, of one sender. Which ones do is left open by the spec. */
function poolOf({ who, record: { operation, path } }: Attempt): string {
  return `${who}\n${operation === undefined ? path : operations[operation].limit}`;
}

/** The wait that is asked for once an attempt has its answer. */
function waitAfter(
  wait: Wait | undefined,
  attempt: Attempt,
  after: AttemptHistory["sentAfter"],
): Wait | undefined {
  const { retryAtMs, answeredMs, record } = attempt;
  const isOver = wait !== undefined && !isEarly(wait.latest, attempt);
  const before = isOver ? undefined : wait;
  if (retryAtMs === undefined || answeredMs === undefined || retryAtMs <= record.nowMs) {
    // It works again, so there is nothing to wait for.
    const isBack = isServed(attempt) && before !== undefined;
    return isBack && concerns(before, attempt) ? undefined : before;
  }
  if (before !== undefined) return { ...before, latest: attempt };
  return { since: attempt, latest: attempt, isSentAfter: after(attempt) };
}

/** Whether the wait was for this too: for the same operation, or as the limit proves. */
function concerns({ since, latest }: Wait, { record }: Attempt): boolean {
  const { operation } = record;
  return (
    operation === since.record.operation ||
    operation === latest.record.operation ||
    (record.producedBy === "limit" && latest.record.producedBy === "limit")
  );
}

function isEarly(told: Attempt, next: Attempt): boolean {
  const { retryAtMs, answeredMs } = told;
  if (retryAtMs === undefined || answeredMs === undefined || !isTimed(told, next)) return false;
  const { nowMs } = next.record;
  return nowMs >= answeredMs && nowMs < retryAtMs - TOLERANCE_MS;
}

function detail(told: Attempt, attempt: Attempt): string {
  const waitMs = (told.retryAtMs ?? 0) - told.record.nowMs;
  return `wait ${durationText(waitMs)}; ${cameAfterText(told, attempt)}`;
}

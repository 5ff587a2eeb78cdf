/** Decides whether an event has failed in its client's eyes, and whether the client should try again. */

import type { Attempt } from "./attempts.ts";

/** A later attempt is hardly a retry. */
const RETRY_WITHIN_MS = 30_000;

/** Whether the client was told neither that its event is recorded nor that it won't be. */
export function isFailed({ outcome }: Attempt): boolean {
  return outcome === "unanswered" || outcome === "broken" || outcome === "unavailable";
}

/** Whether an attempt comes soon enough after another to be a retry. */
export function isSoonAfter(before: Attempt, next: Attempt): boolean {
  return next.record.nowMs - before.record.nowMs <= RETRY_WITHIN_MS;
}

/** Whether the client was right not to repeat an attempt: its key was refused by then, or it was told to wait. */
export function createStopCheck(attempts: readonly Attempt[]): (attempt: Attempt) => boolean {
  const refused = new Map<string, Attempt>();
  for (const attempt of attempts) {
    if (attempt.outcome === "unauthorized") refused.set(attempt.credentials, attempt);
  }
  const endMs = attempts.at(-1)?.record.nowMs ?? 0;
  return ({ credentials, sequence, record, retryAtMs }) => {
    const refusal = refused.get(credentials);
    // The refusal may arrive late.
    const refusedMs = refusal === undefined ? 0 : (refusal.answeredMs ?? Number.POSITIVE_INFINITY);
    const isRefused = (refusal?.sequence ?? 0) > sequence || refusedMs > record.nowMs;
    return isRefused || (retryAtMs !== undefined && retryAtMs >= endMs);
  };
}

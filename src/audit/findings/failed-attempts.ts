/** When an event has failed in its client's eyes, and when one may expect that client to try it again. */

import type { Attempt } from "./attempts.ts";

/** What comes later is hardly a retry. */
const RETRY_WITHIN_MS = 30_000;

/** Whether the client can't know that its event is recorded, and nobody told it that it won't be. */
export function isFailed({ outcome }: Attempt): boolean {
  return outcome === "unanswered" || outcome === "broken" || outcome === "unavailable";
}

/** Whether an attempt comes as soon after another as a retry would. */
export function isSoonAfter(before: Attempt, next: Attempt): boolean {
  return next.record.nowMs - before.record.nowMs <= RETRY_WITHIN_MS;
}

/** Says of an attempt whether its client was right not to try again: its key was refused by then, or it was told to wait. */
export function createStopCheck(attempts: readonly Attempt[]): (attempt: Attempt) => boolean {
  const refused = new Map<string, Attempt>();
  for (const attempt of attempts) {
    if (attempt.outcome === "unauthorized") refused.set(attempt.credentials, attempt);
  }
  const endMs = attempts.at(-1)?.record.nowMs ?? 0;
  return ({ credentials, sequence, record, retryAtMs }) => {
    const refusal = refused.get(credentials);
    // A refusal may be long on its way.
    const refusedMs = refusal === undefined ? 0 : (refusal.answeredMs ?? Number.POSITIVE_INFINITY);
    const isRefused = (refusal?.sequence ?? 0) > sequence || refusedMs > record.nowMs;
    return isRefused || (retryAtMs !== undefined && retryAtMs >= endMs);
  };
}

/** Finds failing requests that are sent again and again with next to no pause. */

import { counted } from "../../base/counted.ts";
import { groupedBy } from "../../base/grouped-by.ts";
import { type Attempt, pauseMs } from "./attempt.ts";
import { durationText, type FindingKind, type Offence } from "./finding.ts";

/** Shorter pauses don't count as pauses. */
export const NO_PAUSE_MS = 10;
/** For requests that can only be repetitions. Fewer are a few quick retries. */
const MIN_ATTEMPTS = 6;
/** Queries of many users look the same, so they need more. No page sends this many at once. */
const MIN_SHARED_ATTEMPTS = 50;

export const hotLoop: FindingKind = {
  title: "The same failing request in a hot loop",
  explanation:
    "A request failed, and the client sent it again and again with almost no pause. A good client waits before each retry, each time longer, and gives up in the end.",
  find(attempts) {
    const groups = groupedBy(attempts, ({ requestKey }) => requestKey);
    return [...groups.values()].flatMap(runsOf).filter(isLoop).flatMap(offencesOf);
  },
};

/** Longest runs of attempts that each follow a failed one at once. */
function runsOf(attempts: readonly Attempt[]): Attempt[][] {
  const runs: Attempt[][] = [];
  for (const [at, attempt] of attempts.entries()) {
    const before = attempts[at - 1];
    if (before !== undefined && isHot(before, attempt)) runs.at(-1)?.push(attempt);
    else runs.push([attempt]);
  }
  return runs;
}

function isHot(before: Attempt, next: Attempt): boolean {
  const { retryAtMs, record, answeredMs = record.nowMs } = before;
  // "Retry-After: 0" and a past date allow it.
  const isInvited = retryAtMs !== undefined && retryAtMs <= answeredMs;
  return !isInvited && hasFailed(before) && (pauseMs(before, next) ?? MANY) <= NO_PAUSE_MS;
}

const MANY = Number.POSITIVE_INFINITY;

function hasFailed({ outcome, event, isOneEvent, record }: Attempt): boolean {
  // Without a session, the impressions of many users look the same, and go on during an outage. A refusal as wrong
  // holds for all of them.
  const isShared = event !== undefined && !isOneEvent;
  if (isShared) return outcome === "refused" || outcome === "unauthorized";
  // A client needs to hear only once that an event is on record.
  return outcome !== "answered" || record.response.status === 409;
}

function isLoop(run: readonly Attempt[]): boolean {
  return run.length >= (run[0]?.isOneEvent ? MIN_ATTEMPTS : MIN_SHARED_ATTEMPTS);
}

function offencesOf(run: readonly Attempt[]): Offence[] {
  const [first, ...again] = run;
  const tookMs = (run.at(-1)?.record.nowMs ?? 0) - (first?.record.nowMs ?? 0);
  const detail = `sent ${counted(again.length, "more time")} within ${durationText(tookMs)}`;
  return again.map((attempt) => ({ attempt, cause: first, detail }));
}

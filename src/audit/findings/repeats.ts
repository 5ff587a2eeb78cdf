/** Finds requests that are sent again in vain: with next to no pause, or although they were refused as wrong. */

import { counted } from "../../base/counted.ts";
import { groupedBy } from "../../base/grouped-by.ts";
import { type Attempt, pauseMs, runsOf } from "./attempt.ts";
import { durationText, type FindingKinds, offencesOf } from "./finding.ts";

/** Shorter pauses don't count as pauses. */
export const NO_PAUSE_MS = 10;
/** Of one event. Fewer are a few quick retries. */
const MIN_IN_LOOP = 6;
/** Queries of many users look the same, so they need more. No page sends this many at once. */
const MIN_QUERIES_IN_LOOP = 50;
const MIN_REFUSALS = 3;

export const repeats = {
  "hot-loop": {
    title: "The same failing request in a hot loop",
    explanation:
      "A request failed, and the client sent it again and again with almost no pause. A good client waits before each retry, each time longer, and gives up in the end.",
    find: (attempts) =>
      sameRequests(attempts)
        .flatMap((group) => runsOf(group, isHot))
        .filter(([{ event }, ...again]) => {
          return again.length + 1 >= (event === undefined ? MIN_QUERIES_IN_LOOP : MIN_IN_LOOP);
        })
        .flatMap((run) => {
          const tookMs = (run.at(-1)?.record.nowMs ?? 0) - run[0].record.nowMs;
          const times = counted(run.length - 1, "more time");
          return offencesOf(run, `sent ${times} within ${durationText(tookMs)}`);
        }),
  },
  "refused-and-sent-again": {
    title: "Refused requests sent again unchanged",
    explanation:
      "A request was refused as invalid, and the client sent it again unchanged. A good client treats a 4xx answer (except 408, 425 and 429) as final, and reports it.",
    find: (attempts) =>
      sameRequests(attempts)
        .flatMap((group) => runsOf(group, (...pair) => pair.every(isRefused)))
        .filter(({ length }) => length >= MIN_REFUSALS)
        .flatMap((run) => offencesOf(run, `the same again ${run.length - 1} times`)),
  },
} satisfies FindingKinds;

function sameRequests(attempts: readonly Attempt[]): [Attempt, ...Attempt[]][] {
  return [...groupedBy(attempts, ({ requestKey }) => requestKey).values()];
}

function isHot(before: Attempt, next: Attempt): boolean {
  const { retryAtMs, outcome, record, answeredMs = record.nowMs } = before;
  // "Retry-After: 0" and a past date allow it.
  const isInvited = retryAtMs !== undefined && retryAtMs <= answeredMs;
  // A client needs to hear only once that an event is on record.
  const isInVain = outcome !== "answered" || record.response.status === 409;
  const pause = pauseMs(before, next);
  return isInVain && !isInvited && pause !== undefined && pause <= NO_PAUSE_MS;
}

/**
 * Leaves out paths without an operation, which have a finding of their own, and queries that a fault rule refused, because
 * many users may send the same.
 */
function isRefused({ outcome, event, record: { operation, producedBy } }: Attempt): boolean {
  const isConclusive = event !== undefined || producedBy === "service";
  return outcome === "refused" && operation !== undefined && isConclusive;
}

/** Finds wrong requests that are sent again unchanged. */

import { groupedBy } from "../../base/grouped-by.ts";
import { headerOf } from "../../exchange/plain-request.ts";
import type { Attempt } from "./attempts.ts";
import type { FindingKind, Offence } from "./finding.ts";

const MIN_REFUSALS = 3;
/** Fewer are enough if the client is known to have repeated it by itself. */
const MIN_KNOWN_RETRIES = 2;
/** Without a session, the impressions of many users look the same. */
const MIN_SHARED_REFUSALS = 20;

export const refusedAndSentAgain: FindingKind = {
  title: "Refused requests sent again unchanged",
  explanation:
    "A request was refused as invalid, and the client sent it again unchanged. A good client treats a 4xx answer (except 408, 425 and 429) as final, and reports it.",
  find({ attempts }) {
    const groups = groupedBy(attempts, unchangedRequestKey);
    return [...groups.values()].flatMap((group) => runsOf(group).flatMap(offencesOf));
  },
  opportunityCount: ({ attempts }) =>
    attempts.filter(({ outcome, isOneEvent }) => outcome === "refused" && isOneEvent).length,
};

/**
 * Leaves out paths without an operation, which have a finding of their own. A query that many users may send counts only if
 * the service refused it, not a fault rule. The same parameters in another encoding make another request.
 */
function unchangedRequestKey({ isOneEvent, requestKey, record }: Attempt): string | undefined {
  const { operation, producedBy, headers } = record;
  const isConclusive = isOneEvent || producedBy === "service";
  return operation !== undefined && isConclusive
    ? `${requestKey}\n${headerOf(headers, "content-type")}`
    : undefined;
}

/** Runs of refusals. A run includes the request after it if the client is known to have sent that by itself. */
function runsOf(attempts: readonly Attempt[]): Attempt[][] {
  const runs: Attempt[][] = [[]];
  for (const attempt of attempts) {
    const isRefused = attempt.outcome === "refused";
    if (isRefused || isKnownRetry(attempt)) runs.at(-1)?.push(attempt);
    if (!isRefused) runs.push([]);
  }
  return runs.filter(([first, ...again]) => {
    const isShared = first?.event !== undefined && !first.isOneEvent;
    const fewest = isShared
      ? MIN_SHARED_REFUSALS
      : first && isKnownRetry(first)
        ? MIN_KNOWN_RETRIES
        : MIN_REFUSALS;
    return again.length >= fewest - 1;
  });
}

function isKnownRetry({ step, isOneEvent }: Attempt): boolean {
  return step !== undefined && isOneEvent;
}

function offencesOf([first, ...again]: readonly Attempt[]): Offence[] {
  const detail = again.length === 1 ? "the same again" : `the same again ${again.length} times`;
  return again.map((attempt) => ({ attempt, cause: first, detail }));
}

/** Finds wrong requests that are sent again unchanged. */

import { groupedBy } from "../../base/grouped-by.ts";
import { headerOf } from "../../exchange/plain-request.ts";
import type { Attempt } from "./attempt.ts";
import type { FindingKind } from "./finding.ts";

const MIN_REFUSALS = 3;
/** Without a session, the impressions of many users look the same. */
const MIN_SHARED_REFUSALS = 20;

export const refusedAndSentAgain: FindingKind = {
  title: "Refused requests sent again unchanged",
  explanation:
    "A request was refused as invalid, and the client sent it again unchanged. A good client treats a 4xx answer (except 408, 425 and 429) as final, and reports it.",
  find: (attempts) =>
    [...groupedBy(attempts, unchangedRequestKey).values()].flatMap((group) =>
      refusalsInARow(group).flatMap(([first, ...again]) => {
        const isShared = first?.event !== undefined && !first.isOneEvent;
        if (again.length + 1 < (isShared ? MIN_SHARED_REFUSALS : MIN_REFUSALS)) return [];
        const detail = `the same again ${again.length} times`;
        return again.map((attempt) => ({ attempt, cause: first, detail }));
      }),
    ),
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

function refusalsInARow(attempts: readonly Attempt[]): Attempt[][] {
  const runs: Attempt[][] = [[]];
  for (const attempt of attempts) {
    if (attempt.outcome === "refused") runs.at(-1)?.push(attempt);
    else runs.push([]);
  }
  return runs;
}

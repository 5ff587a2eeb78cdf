/** A wrong request that is sent again unchanged. */

import { headerOf } from "../../exchange/headers.ts";
import type { Attempt } from "./attempts.ts";
import { type FindingKind, groupedBy, type Offence } from "./finding.ts";

/** So many refusals in a row are no accident. */
const FEWEST = 3;
/** Enough where the client is known to have repeated it by itself. */
const FEWEST_UNASKED = 2;
/** Without a session, the impressions of many users look the same. */
const FEWEST_SHARED = 20;

export const refusedAndSentAgain: FindingKind = {
  title: "Wrong requests sent again unchanged",
  explanation:
    "The request was refused as wrong and came again as it was; a good client takes a 4xx answer (save for 408, 425 and 429) for final, and reports it.",
  find({ attempts }) {
    const groups = groupedBy(attempts, repeatable);
    return [...groups.values()].flatMap((group) => rowsOf(group).flatMap(offencesOf));
  },
  chances: ({ attempts }) =>
    attempts.filter(({ outcome, isOneEvent }) => outcome === "refused" && isOneEvent).length,
};

/**
 * Another finding names requests to paths without an operation. A query that many users may send counts only if the service
 * itself refused it, not a fault rule. With another encoding it is another request.
 */
function repeatable({ isOneEvent, same, record }: Attempt): string | undefined {
  const { operation, producedBy, headers } = record;
  const isWord = isOneEvent || producedBy === "service";
  return operation !== undefined && isWord
    ? `${same}\n${headerOf(headers, "content-type")}`
    : undefined;
}

/** Refusals in a row, each row with the request after it if the client is known to have sent that by itself. */
function rowsOf(attempts: readonly Attempt[]): Attempt[][] {
  const rows: Attempt[][] = [[]];
  for (const attempt of attempts) {
    const isRefused = attempt.outcome === "refused";
    if (isRefused || isUnasked(attempt)) rows.at(-1)?.push(attempt);
    if (!isRefused) rows.push([]);
  }
  return rows.filter(([first, ...again]) => {
    const isShared = first?.event !== undefined && !first.isOneEvent;
    const fewest = isShared ? FEWEST_SHARED : first && isUnasked(first) ? FEWEST_UNASKED : FEWEST;
    return again.length >= fewest - 1;
  });
}

function isUnasked({ step, isOneEvent }: Attempt): boolean {
  return step !== undefined && isOneEvent;
}

function offencesOf([first, ...again]: readonly Attempt[]): Offence[] {
  const said = again.length === 1 ? "the same again" : `the same again ${again.length} times`;
  return again.map((attempt) => ({ attempt, cause: first, said }));
}

/** A wrong request that is sent again unchanged. */

import type { Attempt } from "../attempts.ts";
import { type FindingKind, groupedBy, type Offence } from "../finding.ts";

/** So many refusals in a row are no accident. */
const FEWEST = 3;

export const refusedAndSentAgain: FindingKind = {
  title: "Wrong requests sent again unchanged",
  explanation:
    "The request was refused as wrong and came again as it was; a good client takes a 4xx answer (save for 408, 425 and 429) for final, and reports it.",
  find({ attempts }) {
    const groups = groupedBy(attempts, repeatable);
    return [...groups.values()].flatMap((group) => rowsOf(group).flatMap(offencesOf));
  },
};

/**
 * Many users' impressions without a session look the same; and a path without an operation is named by itself. What many
 * may ask has to be wrong by the service's own word: asking anew what a rule refused is another question.
 */
function repeatable({ event, isOneEvent, same, record }: Attempt): string | undefined {
  if (isOneEvent) return same;
  const isQuestion = event === undefined && record.operation !== undefined;
  return isQuestion && record.producedBy === "service" ? same : undefined;
}

function rowsOf(attempts: readonly Attempt[]): Attempt[][] {
  const rows: Attempt[][] = [[]];
  for (const attempt of attempts) {
    if (attempt.outcome === "refused") rows.at(-1)?.push(attempt);
    else rows.push([]);
  }
  return rows.filter(({ length }) => length >= FEWEST);
}

function offencesOf([first, ...again]: readonly Attempt[]): Offence[] {
  const said = `the same again ${again.length} times`;
  return again.map((attempt) => ({ attempt, cause: first, said }));
}

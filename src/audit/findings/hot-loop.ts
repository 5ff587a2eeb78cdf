/** The same failing request again and again, with next to no pause. */

import { type Attempt, pauseMs } from "../attempts.ts";
import { type FindingKind, groupedBy, lasting, type Offence, sameAgain } from "../finding.ts";

/** No pause worth the name. */
const NO_PAUSE_MS = 10;
/** So many in a row are a loop where each of them can only be a repetition. Fewer are a few quick retries. */
const FEWEST = 6;
/** What many may ask at one time looks the same: then it takes more than a page full of it. */
const FEWEST_SHARED = 50;

export const hotLoop: FindingKind = {
  title: "The same failing request in a hot loop",
  explanation:
    "It failed, and was sent again and again with next to no pause; a good client waits before it tries again, each time longer, and gives up some day.",
  find({ attempts }) {
    const groups = groupedBy(attempts, sameAgain);
    return [...groups.values()].flatMap((group) => runsOf(group).flatMap(offencesOf));
  },
};

/** Longest rows of attempts, each of which follows at once on one that failed. */
function runsOf(attempts: readonly Attempt[]): Attempt[][] {
  const runs: Attempt[][] = [];
  let before: Attempt | undefined;
  for (const attempt of attempts) {
    if (before !== undefined && isHot(before, attempt)) runs.at(-1)?.push(attempt);
    else runs.push([attempt]);
    before = attempt;
  }
  return runs.filter(([first, ...again]) => {
    const fewest = first?.isOneEvent === true ? FEWEST : FEWEST_SHARED;
    return again.length >= fewest - 1;
  });
}

function isHot(before: Attempt, next: Attempt): boolean {
  const { outcome, retryAtMs, record } = before;
  // "Retry-After: 0" and a date that is over ask for it.
  const isInvited = retryAtMs !== undefined && retryAtMs <= record.nowMs;
  if (outcome === "answered" || isInvited) return false;
  const pause = pauseMs(before, next);
  return pause !== undefined && pause <= NO_PAUSE_MS;
}

function offencesOf(run: readonly Attempt[]): Offence[] {
  const [first, ...again] = run;
  const last = run.at(-1);
  if (first === undefined || last === undefined) return [];
  const took = lasting(last.record.nowMs - first.record.nowMs);
  const said = `sent ${again.length} more times within ${took}`;
  return again.map((attempt) => ({ attempt, cause: first, said }));
}

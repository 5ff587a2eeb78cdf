/** The same failing request again and again, with next to no pause. */

import { type Attempt, isPauseChosen, pauseMs } from "./attempts.ts";
import { durationText, type FindingKind, groupedBy, type Offence } from "./finding.ts";

/** No pause worth the name. */
const NO_PAUSE_MS = 10;
/** So many in a row are a loop where each of them can only be a repetition. Fewer are a few quick retries. */
const MIN_ATTEMPTS = 6;
/** Enough where the client is known to have repeated it by itself, and no time passed at all. */
const MIN_KNOWN_RETRIES = 2;
/** Queries of many users look the same, so they need more: this many, since no page sends so many at once, … */
const MIN_SHARED_ATTEMPTS = 50;
/** … or this many one after the other. */
const MIN_SEQUENTIAL_ATTEMPTS = 30;
/** Requests that are sent at once share a millisecond. They count as in turn if at least this share of them doesn't. */
const SEQUENTIAL_SHARE = 0.9;

export const hotLoop: FindingKind = {
  title: "The same failing request in a hot loop",
  explanation:
    "A request failed, and the client sent it again and again with almost no pause. A good client waits before each retry, each time longer, and gives up in the end.",
  find({ attempts }) {
    const groups = groupedBy(attempts, ({ requestKey }) => requestKey);
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
  return runs.filter(isLoop);
}

function isLoop(run: readonly Attempt[]): boolean {
  const [first] = run;
  if (first?.isOneEvent) {
    return run.length >= (first.step === undefined ? MIN_ATTEMPTS : MIN_KNOWN_RETRIES);
  }
  const instants = new Set(run.map(({ record }) => record.nowMs)).size;
  const isSequential = instants >= SEQUENTIAL_SHARE * run.length;
  return run.length >= (isSequential ? MIN_SEQUENTIAL_ATTEMPTS : MIN_SHARED_ATTEMPTS);
}

function isHot(before: Attempt, next: Attempt): boolean {
  const { retryAtMs, record } = before;
  // "Retry-After: 0" and a date that is over ask for it.
  const isInvited = retryAtMs !== undefined && retryAtMs <= record.nowMs;
  if (isInvited || !hasFailed(before)) return false;
  const pause = pauseMs(before, next);
  if (pause === undefined || before.step !== next.step) return false;
  // A final refusal that the client repeats by itself is what refused-and-sent-again finds.
  return next.step === undefined ? pause <= NO_PAUSE_MS : pause === 0 && isPauseChosen(before);
}

function hasFailed({ outcome, event, isOneEvent, record }: Attempt): boolean {
  // Without a session, the impressions of many users look the same, and go on through an outage. What was refused as
  // wrong is wrong for all of them.
  const isShared = event !== undefined && !isOneEvent;
  if (isShared) return outcome === "refused" || outcome === "unauthorized";
  return outcome !== "answered" || record.response.status === DUPLICATE;
}

/** Nobody has to be told again and again that an event is on record. */
const DUPLICATE = 409;

function offencesOf(run: readonly Attempt[]): Offence[] {
  const [first, ...again] = run;
  const last = run.at(-1);
  if (first === undefined || last === undefined) return [];
  const took = durationText(last.record.nowMs - first.record.nowMs);
  const detail = `sent ${again.length} more ${again.length === 1 ? "time" : "times"} within ${took}`;
  return again.map((attempt) => ({ attempt, cause: first, detail }));
}

/** Finds failing requests that are sent again and again with next to no pause. */

import { counted } from "../../base/counted.ts";
import { groupedBy } from "../../base/grouped-by.ts";
import { type Attempt, isPauseChosen, pauseMs } from "./attempts.ts";
import { durationText, type FindingKind, type Offence } from "./finding.ts";

/** Shorter pauses don't count as pauses. */
const NO_PAUSE_MS = 10;
/** For requests that can only be repetitions. Fewer are a few quick retries. */
const MIN_ATTEMPTS = 6;
/** Enough if the client is known to have repeated it by itself, and no time passed at all. */
const MIN_KNOWN_RETRIES = 2;
/** A timer of 0 ms takes a millisecond in Node and in browsers. */
const SHORTEST_TIMER_MS = 1;
/**
 * If that is the pause before all of so many first retries, it isn't drawn: full jitter up to half a second draws it once
 * in 250 times.
 */
const MIN_FIRST_RETRIES = 4;
/** Queries of many users look the same, so they need more. No page sends this many at once. */
const MIN_SHARED_ATTEMPTS = 50;
/** The same, for requests sent one after the other. */
const MIN_SEQUENTIAL_ATTEMPTS = 30;
/** Requests sent at once share a millisecond. They count as sequential if this share of them have a millisecond of their own. */
const SEQUENTIAL_SHARE = 0.9;

export const hotLoop: FindingKind = {
  title: "The same failing request in a hot loop",
  explanation:
    "A request failed, and the client sent it again and again with almost no pause. A good client waits before each retry, each time longer, and gives up in the end.",
  find({ attempts }) {
    const groups = groupedBy(attempts, ({ requestKey }) => requestKey);
    const runs = [...groups.values()].flatMap(runsOf);
    return [...runs, ...firstRetriesAtOnce([...groups.values()])].flatMap(offencesOf);
  },
};

/** The first retries that the client is known to have made by itself, if all came as soon as a timer allows. */
function firstRetriesAtOnce(groups: readonly (readonly Attempt[])[]): readonly Attempt[][] {
  const retries = groups.flatMap((group) =>
    group.flatMap((next, at): { readonly run: Attempt[]; readonly pause: number }[] => {
      const [before, earlier] = [group[at - 1], group[at - 2]];
      if (before === undefined || before.step === undefined || before.step !== next.step) return [];
      const pause = pauseMs(before, next);
      const isFirst = earlier === undefined || earlier.step !== next.step;
      const isJudged = isFirst && before.isOneEvent && hasFailed(before) && isPauseChosen(before);
      return isJudged && pause !== undefined ? [{ run: [before, next], pause }] : [];
    }),
  );
  const areAtOnce = retries.every(({ pause }) => pause <= SHORTEST_TIMER_MS);
  // Without any pause each of them is a loop of its own.
  const areJudged = areAtOnce && retries.some(({ pause }) => pause > 0);
  return areJudged && retries.length >= MIN_FIRST_RETRIES ? retries.map(({ run }) => run) : [];
}

/** Longest runs of attempts that each follow a failed one at once. */
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
  const { retryAtMs, record, answeredMs = record.nowMs } = before;
  // "Retry-After: 0" and a past date allow it.
  const isInvited = retryAtMs !== undefined && retryAtMs <= answeredMs;
  if (isInvited || !hasFailed(before)) return false;
  const pause = pauseMs(before, next);
  if (pause === undefined || before.step !== next.step) return false;
  // If the client repeats a final refusal by itself, refused-and-sent-again reports it.
  return next.step === undefined ? pause <= NO_PAUSE_MS : pause === 0 && isPauseChosen(before);
}

function hasFailed({ outcome, event, isOneEvent, record }: Attempt): boolean {
  // Without a session, the impressions of many users look the same, and go on during an outage. A refusal as wrong
  // holds for all of them.
  const isShared = event !== undefined && !isOneEvent;
  if (isShared) return outcome === "refused" || outcome === "unauthorized";
  return outcome !== "answered" || record.response.status === DUPLICATE;
}

/** A client needs to hear only once that an event is on record. */
const DUPLICATE = 409;

function offencesOf(run: readonly Attempt[]): Offence[] {
  const [first, ...again] = run;
  const last = run.at(-1);
  if (first === undefined || last === undefined) return [];
  const took = durationText(last.record.nowMs - first.record.nowMs);
  const detail = `sent ${counted(again.length, "more time")} within ${took}`;
  return again.map((attempt) => ({ attempt, cause: first, detail }));
}

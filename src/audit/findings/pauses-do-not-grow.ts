/**
 * The law of back-off: pauses aren't fixed, don't shrink, and there aren't too many of them. Pauses that are drawn at random
 * are alike now and then: how alike they must be to be called fixed depends on how many there are, so that a back-off with
 * full jitter gets away.
 */

import { type Attempt, isFinal, isPauseChosen, isTimed, pauseMs } from "./attempts.ts";
import {
  durationText,
  type FindingKind,
  groupedBy,
  type Offence,
  repetitionKey,
} from "./finding.ts";

/** The fewest pauses in a row that say anything. */
const MIN_PAUSES = 3;
/** A client that waits so long need not wait longer: its pauses have grown as far as they have to. */
const LONG_MS = 30_000;
/** Five draws of a full jitter whose bound doubles shrink each time once in 120,000 times. */
const MIN_SHRINKING = 5;
/** More repetitions of one event in a minute are a flood. */
const MAX_A_MINUTE = 60;
const MINUTE_MS = 60_000;
/** Whoever asks this much less often than it retries, is asking regularly. */
const REGULAR_RATIO = 2;

/**
 * Pauses are fixed if they differ by at most this share of the longest, and there are so many beyond two in a row. Draws
 * of a full jitter whose bound doubles pass once in 80,000 times (1 %, 3 pauses) or 500,000 times (5 %, 4 pauses).
 */
const fixedPauseCriteria: readonly { readonly spread: number; readonly beyondTwo: number }[] = [
  { spread: 0.01, beyondTwo: 1 },
  { spread: 0.05, beyondTwo: 2 },
  { spread: 0.1, beyondTwo: 3 },
  { spread: 0.33, beyondTwo: 6 },
];
/** From this spread on pauses that grow steadily have to be told from fixed ones. */
const SPREAD_OF_GROWTH = 0.1;

export const pausesDoNotGrow: FindingKind = {
  title: "Retries without growing pauses",
  explanation:
    "A request failed, and the client sent it again at fixed intervals, after ever shorter pauses, or more than 60 times within a minute. A good client waits longer each time (exponential back-off), and varies its pauses at random so that clients don't all come back at once.",
  find({ attempts }) {
    const bySender = groupedBy(attempts, ({ who }) => who);
    return [...bySender.values()].flatMap((own) => {
      const groups = [...groupedBy(own, repetitionKey).values()];
      const chains = groups.flatMap(chainsOf);
      const short = chains.filter(({ longest }) => longest <= LONG_MS);
      const isWrong = (chain: Chain): boolean => isShrinking(chain) || isFlood(chain);
      const wrong = new Set([...chainsWithFixedPauses(short), ...chains.filter(isWrong)]);
      return [...wrong].flatMap(offencesOf);
    });
  },
  opportunityCount: ({ attempts }) =>
    [...groupedBy(attempts, repetitionKey).values()].flatMap((group) =>
      group.filter((attempt, at) => isRetried(attempt, group[at + 1])),
    ).length,
};

/** Whether the pause between the two was the client's choice. */
function isRetried(before: Attempt, next: Attempt | undefined): boolean {
  return next !== undefined && before.step === next.step && isPauseChosen(before);
}

/** One request, tried again each time after it failed. */
interface Chain {
  readonly attempts: readonly Attempt[];
  /** Between one attempt and the next. */
  readonly pauses: readonly number[];
  readonly longest: number;
  /** How much the pauses differ, as a share of the longest. The clock's millisecond counts. */
  readonly spread: number;
  readonly isGrowing: boolean;
  /** Whether the client waited much less for it before: a pause in between couldn't be judged, or wasn't its choice. */
  readonly hasGrown: boolean;
}

/** A pause that is so many times an earlier one has grown. */
const GROWTH = 2;

function chainsOf(group: readonly Attempt[]): Chain[] {
  const chains: Chain[] = [];
  let attempts: Attempt[] = [];
  let pauses: number[] = [];
  let regularMs = Number.POSITIVE_INFINITY;
  // The least it waited since the request first failed, and before this chain.
  let leastMs = Number.POSITIVE_INFINITY;
  let leastBeforeMs = leastMs;
  const close = (): void => {
    if (pauses.length >= MIN_PAUSES) chains.push(chainOf(attempts, pauses, leastBeforeMs));
    leastBeforeMs = leastMs;
    attempts = [];
    pauses = [];
  };
  for (const attempt of group) {
    const before = attempts.at(-1);
    if (before !== undefined) {
      const pause = pauseMs(before, attempt);
      if (pause !== undefined && before.outcome === "answered") {
        regularMs = Math.min(regularMs, pause);
      }
      leastMs = isFinal(before)
        ? Number.POSITIVE_INFINITY
        : Math.min(leastMs, longestChosenPauseMs(before, attempt));
      if (pause !== undefined && isRetried(before, attempt)) pauses.push(pause);
      else close();
    }
    attempts.push(attempt);
  }
  close();
  return chains.filter(({ longest }) => regularMs > REGULAR_RATIO * longest);
}

/** The longest that the client can have chosen to wait: who waits for an answer in vain has waited for that as well. */
function longestChosenPauseMs(before: Attempt, next: Attempt): number {
  if (!(isPauseChosen(before) && isTimed(before, next))) return Number.POSITIVE_INFINITY;
  return pauseMs(before, next) ?? next.record.nowMs - before.record.nowMs;
}

function chainOf(
  attempts: readonly Attempt[],
  pauses: readonly number[],
  leastBeforeMs: number,
): Chain {
  const longest = Math.max(...pauses);
  return {
    attempts,
    pauses,
    longest,
    spread: (longest - Math.min(...pauses) + 1) / longest,
    hasGrown: GROWTH * leastBeforeMs <= Math.min(...pauses),
    isGrowing: pauses.every((pause, index) => index === 0 || pause > (pauses[index - 1] ?? 0)),
  };
}

/** The chains of a sender that have fixed pauses, where they are what it mostly does. */
function chainsWithFixedPauses(chains: readonly Chain[]): readonly Chain[] {
  for (const { spread, beyondTwo } of fixedPauseCriteria) {
    const alike = chains.filter(
      ({ spread: own, isGrowing, hasGrown }) =>
        own <= spread && !hasGrown && !(isGrowing && spread >= SPREAD_OF_GROWTH),
    );
    const evidence = alike.reduce((sum, { pauses }) => sum + pauses.length - 2, 0);
    if (evidence >= beyondTwo && 2 * alike.length >= chains.length) return alike;
  }
  return [];
}

function isShrinking({ pauses }: Chain): boolean {
  const shrinks = pauses.every((pause, at) => at === 0 || pause < (pauses[at - 1] ?? 0));
  return pauses.length >= MIN_SHRINKING && shrinks;
}

/** Not of queries: many users may ask the same. */
function isFlood({ attempts }: Chain): boolean {
  return attempts.some(({ isOneEvent, record }, at) => {
    const latest = attempts[at + MAX_A_MINUTE + 1];
    return isOneEvent && latest !== undefined && latest.record.nowMs - record.nowMs < MINUTE_MS;
  });
}

function offencesOf({ attempts, pauses, longest }: Chain): Offence[] {
  const [first, ...again] = attempts;
  const shortest = Math.min(...pauses);
  const shown =
    durationText(shortest) === durationText(longest)
      ? durationText(longest)
      : `${durationText(shortest)} to ${durationText(longest)}`;
  const detail = `sent again ${pauses.length} times, each after ${shown}`;
  return again.map((attempt) => ({ attempt, cause: first, detail }));
}

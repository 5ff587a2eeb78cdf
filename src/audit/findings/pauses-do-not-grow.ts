/**
 * Finds retries whose pauses are fixed, shrink, or are too many. Random pauses are sometimes alike by chance: the more
 * pauses there are, the less alike they need to be to count as fixed, so that a back-off with full jitter passes.
 */

import { MINUTE_MS } from "../../base/duration.ts";
import { groupedBy } from "../../base/grouped-by.ts";
import { type Attempt, isFinal, isPauseChosen, isTimed, pauseMs } from "./attempts.ts";
import { durationText, type FindingKind, type Offence, repetitionKey } from "./finding.ts";

const MIN_PAUSES = 3;
/** Pauses longer than this needn't grow any further. */
const LONG_MS = 30_000;
/** Five pauses with full jitter and a doubling bound all shrink once in 120,000 times. */
const MIN_SHRINKING = 5;
/** The most repetitions of one event in a minute; more are a flood. */
const MAX_A_MINUTE = 60;
/** A client that polls at an interval less than this many times its retry pause is polling, not retrying. */
const REGULAR_RATIO = 2;

/**
 * Pauses count as fixed if they differ by at most `spread` of the longest and the runs have `beyondTwo` pauses in excess of
 * two each. Full jitter with a doubling bound meets that once in 80,000 times (1 %, 3 pauses) or 500,000 times (5 %, 4 pauses).
 */
const fixedPauseCriteria: readonly { readonly spread: number; readonly beyondTwo: number }[] = [
  { spread: 0.01, beyondTwo: 1 },
  { spread: 0.05, beyondTwo: 2 },
  { spread: 0.1, beyondTwo: 3 },
  { spread: 0.33, beyondTwo: 6 },
];
/** From this spread on, pauses that grow steadily don't count as fixed. */
const SPREAD_OF_GROWTH = 0.1;

/** When jittered pauses count as fixed. */
interface JitteredCriterion {
  /** How many times the shortest the longest pause is, at least and at most. */
  readonly ratio: readonly [number, number];
  /** How many times the first pauses of the requests the others are on average, at most. */
  readonly growth: number;
  /** How much of the longest pause the sender's first one is, at least. */
  readonly firstShare: number;
  readonly requests: number;
  readonly pauses: number;
}

/**
 * Narrow jitter, such as half of each pause, and full jitter.
 *
 * Narrow: simulated 300,000 times for 2 to 8 pauses a request, back-off with full jitter never met that, nor with half of
 * each pause drawn, whatever the longest pause. Decorrelated jitter met it less than once in 50,000 times if its longest
 * pause is at least four times its shortest. Fixed pauses that vary by half meet it three times out of four.
 *
 * Full: simulated 100,000 times for 3 to 6 pauses a request, back-off with full or decorrelated jitter met it at most
 * once, whether it starts anew with each request or goes on, if its bound at least doubles. Its first pause is one of the
 * shortest. Fixed pauses with full jitter meet it three times out of ten.
 */
const jitteredCriteria: readonly JitteredCriterion[] = [
  { ratio: [1, 3], growth: 1.1, firstShare: 0, requests: 12, pauses: 36 },
  { ratio: [20, Number.MAX_VALUE], growth: 1.1, firstShare: 0.6, requests: 20, pauses: 60 },
];
/** If more of the requests than this share have pauses that grow steadily, these aren't fixed. */
const SHARE_OF_GROWTH = 0.75;

export const pausesDoNotGrow: FindingKind = {
  title: "Retries without growing pauses",
  explanation:
    "A request failed, and the client sent it again at fixed intervals (with or without jitter), after ever shorter pauses, or more than 60 times within a minute. A good client waits longer each time (exponential back-off), and varies its pauses at random so that clients don't all come back at once.",
  find({ attempts }) {
    const bySender = groupedBy(attempts, ({ who }) => who);
    return [...bySender.values()].flatMap((own) => {
      const groups = [...groupedBy(own, repetitionKey).values()];
      const all = groups.flatMap(chainsOf);
      const least = leastPausesBefore(all, own);
      const chains = all.filter(
        (chain) => chain.pauses.length >= MIN_PAUSES && !isAtMaximum(chain, least),
      );
      const short = chains.filter(({ longest }) => longest <= LONG_MS);
      const wrong = new Set([
        ...chainsWithFixedPauses(short),
        ...jitteredCriteria.flatMap((one) => chainsWithJitteredPauses(all, own, one)),
        ...chains.filter(isShrinking),
        ...all.filter(isFlood),
      ]);
      return [...wrong].flatMap(offencesOf);
    });
  },
  opportunityCount: ({ attempts }) =>
    [...groupedBy(attempts, repetitionKey).values()].flatMap((group) =>
      group.filter((attempt, at) => isRetried(attempt, group[at + 1])),
    ).length,
};

/** Whether the client chose the pause between the two. */
function isRetried(before: Attempt, next: Attempt | undefined): boolean {
  return next !== undefined && before.step === next.step && isPauseChosen(before);
}

/** One request, tried again each time after it failed. */
interface Chain {
  readonly attempts: readonly Attempt[];
  /** Between one attempt and the next. */
  readonly pauses: readonly number[];
  readonly longest: number;
  readonly shortest: number;
  /** How much the pauses differ, as a share of the longest. Includes the clock's precision of 1 ms. */
  readonly spread: number;
  readonly isGrowing: boolean;
  /** Whether the client waited much less before this chain. A pause that can't be judged, or wasn't its choice, lies between. */
  readonly hasGrown: boolean;
}

/** A pause has grown if it is at least this many times an earlier one. */
const GROWTH = 2;

function chainsOf(group: readonly Attempt[]): Chain[] {
  const chains: Chain[] = [];
  let attempts: Attempt[] = [];
  let pauses: number[] = [];
  let regularMs = Number.POSITIVE_INFINITY;
  // The shortest pause since the request first failed; `leastBeforeMs`: those before this chain only.
  let leastMs = Number.POSITIVE_INFINITY;
  let leastBeforeMs = leastMs;
  const close = (): void => {
    if (pauses.length > 0) chains.push(chainOf(attempts, pauses, leastBeforeMs));
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

/** The longest pause that the client can have chosen. Without an answer that includes the wait for one. */
function longestChosenPauseMs(before: Attempt, next: Attempt): number {
  if (!(isPauseChosen(before) && isTimed(before, next))) return Number.POSITIVE_INFINITY;
  return pauseMs(before, next) ?? next.record.nowMs - before.record.nowMs;
}

/** For each attempt of a sender, the shortest of the pauses that ended before it, and after the last success before it. */
function leastPausesBefore(
  chains: readonly Chain[],
  own: readonly Attempt[],
): ReadonlyMap<Attempt, number> {
  const pausesBefore = new Map(
    chains.flatMap(({ attempts: [, ...again], pauses }) =>
      // Unless the calls are known, two that look like a request and its retry may be by different users.
      again.flatMap((attempt, at): [Attempt, number | undefined][] =>
        attempt.step === undefined ? [] : [[attempt, pauses[at]]],
      ),
    ),
  );
  let leastMs = Number.POSITIVE_INFINITY;
  return new Map(
    own.map((attempt) => {
      const beforeMs = leastMs;
      leastMs = Math.min(leastMs, pausesBefore.get(attempt) ?? Number.POSITIVE_INFINITY);
      if (attempt.outcome === "answered") leastMs = Number.POSITIVE_INFINITY;
      return [attempt, beforeMs];
    }),
  );
}

/** Whether a back-off that all requests share had grown before this chain, so that it needn't grow any further. */
function isAtMaximum(
  { attempts: [first], shortest }: Chain,
  least: ReadonlyMap<Attempt, number>,
): boolean {
  return first !== undefined && GROWTH * (least.get(first) ?? Number.POSITIVE_INFINITY) <= shortest;
}

function chainOf(
  attempts: readonly Attempt[],
  pauses: readonly number[],
  leastBeforeMs: number,
): Chain {
  const longest = pauses.reduce((one, other) => Math.max(one, other));
  const shortest = pauses.reduce((one, other) => Math.min(one, other));
  return {
    attempts,
    pauses,
    longest,
    shortest,
    spread: (longest - shortest + 1) / longest,
    hasGrown: GROWTH * leastBeforeMs <= shortest,
    isGrowing: pauses.every((pause, index) => index === 0 || pause > (pauses[index - 1] ?? 0)),
  };
}

/** The chains of a sender that have fixed pauses, if they are at least half of its chains. */
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

/** All chains of a sender, if their pauses are as alike and as long as those of jitter around a fixed pause. */
function chainsWithJitteredPauses(
  chains: readonly Chain[],
  own: readonly Attempt[],
  { ratio: [leastRatio, mostRatio], growth, firstShare, requests, pauses }: JitteredCriterion,
): readonly Chain[] {
  const longest = chains.reduce((most, chain) => Math.max(most, chain.longest), 0);
  const shortest = chains.reduce((least, chain) => Math.min(least, chain.shortest), longest);
  const ratio = longest / Math.max(1, shortest);
  if (chains.length < requests || longest > LONG_MS) return [];
  if (ratio < leastRatio || ratio > mostRatio) return [];
  // If other requests came in between, a client that sends only so many a second may have waited for its turn.
  const places = new Map(own.map((attempt, place) => [attempt, place]));
  const judged = chains.filter(
    ({ attempts, pauses }) =>
      pauses.length > 1 &&
      attempts.every((one, at) => places.get(one) === (places.get(attempts[0] ?? one) ?? 0) + at),
  );
  const firstMs = sumOf(judged, ({ pauses: [first = 0] }) => first);
  const laterMs = sumOf(
    judged,
    ({ pauses: [, ...later] }) => sumOf(later, (ms) => ms) / later.length,
  );
  const hasGrown =
    chains.some((chain) => chain.hasGrown) ||
    laterMs > growth * firstMs ||
    judged.filter(({ isGrowing }) => isGrowing).length > SHARE_OF_GROWTH * judged.length;
  const isEnough =
    judged.length >= requests && sumOf(judged, (chain) => chain.pauses.length) >= pauses;
  const hasLongStart = firstPauseMs(chains, own) >= firstShare * longest;
  return isEnough && hasLongStart && !hasGrown ? judged : [];
}

/** The sender's first pause after its first failure; 0 if that can't be judged. */
function firstPauseMs(chains: readonly Chain[], own: readonly Attempt[]): number {
  const failed = own.find(({ outcome }) => outcome !== "answered");
  return chains.find(({ attempts: [first] }) => first === failed)?.pauses[0] ?? 0;
}

function sumOf<Item>(items: readonly Item[], amountOf: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + amountOf(item), 0);
}

function isShrinking({ pauses }: Chain): boolean {
  const shrinks = pauses.every((pause, at) => at === 0 || pause < (pauses[at - 1] ?? 0));
  return pauses.length >= MIN_SHRINKING && shrinks;
}

/** Leaves out queries, because many users may send the same. */
function isFlood({ attempts }: Chain): boolean {
  return attempts.some(({ isOneEvent, record }, at) => {
    const latest = attempts[at + MAX_A_MINUTE + 1];
    return isOneEvent && latest !== undefined && latest.record.nowMs - record.nowMs < MINUTE_MS;
  });
}

function offencesOf({ attempts, pauses, longest, shortest }: Chain): Offence[] {
  const [first, ...again] = attempts;
  const shown =
    durationText(shortest) === durationText(longest)
      ? durationText(longest)
      : `${durationText(shortest)} to ${durationText(longest)}`;
  const detail = `sent again ${pauses.length} times, each after ${shown}`;
  return again.map((attempt) => ({ attempt, cause: first, detail }));
}

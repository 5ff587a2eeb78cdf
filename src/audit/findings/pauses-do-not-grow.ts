/** Finds retries whose pauses are fixed, with or without jitter, or too many. */

import { MINUTE_MS } from "../../base/duration.ts";
import { groupedBy } from "../../base/grouped-by.ts";
import { type Attempt, pauseMs } from "./attempt.ts";
import { durationText, type FindingKind, type Offence } from "./finding.ts";
import { NO_PAUSE_MS } from "./hot-loop.ts";

/** Longer pauses needn't grow any further. */
const LONG_MS = 30_000;
/** The most repetitions of one event in a minute; more are a flood. */
const MAX_A_MINUTE = 60;
/** A client that polls at an interval less than this many times its retry pause is polling, not retrying. */
const REGULAR_RATIO = 2;

/*
 * Pauses are fixed if they are too much alike to be drawn from growing ranges, and the later ones of a request are no longer
 * than the first ones. If they differ by at most a share s of the longest, and n aren't the first of their request, chance
 * does that about once in s^-n times.
 *
 * Simulated 40,000 times each for 1 to 24 requests with 2 to 6 pauses: back-off up to 2 to 29 times its first bound met that
 * at most twice with full jitter, once with half, never with less. Decorrelated jitter met it at most once in 7,000 times, if
 * its longest pause is at least 4 times its shortest. Back-off that goes on with the next request met it at most once in
 * 2,000 times, but decorrelated once in 30. Fixed pauses that vary by a fifth meet it 19 times out of 20 with 5 requests of 3
 * pauses, by half two times out of three with 12.
 */
const MAX_CHANCE = 1 / 8000;
const MAX_SPREAD = 2 / 3;
/** With more jitter, no other requests may come in between: their client may send only so many a second. */
const MAX_SPREAD_BESIDES_OTHERS = 0.1;
const MAX_GROWTH = 1.1;
/** How many times the sender's first pause all are on average, at most. */
const MAX_GROWTH_SINCE_FIRST = 4 / 3;
/** Of a sender's requests for an operation, so many must be alike: some may have been repeated for other reasons. */
const SHARES = [1, 0.75, 0.5];
/** There are fewer ways to leave chains out than this many for each. */
const CHOICES = 10;

export const pausesDoNotGrow: FindingKind = {
  title: "Retries without growing pauses",
  explanation:
    "A request failed, and the client sent it again at fixed intervals (with or without jitter), or more than 60 times within a minute. A good client waits longer each time (exponential back-off), and varies its pauses at random so that clients don't all come back at once.",
  find: (attempts) =>
    [...groupedBy(attempts, ({ who }) => who).values()].flatMap((own) => {
      const chains = [...groupedBy(own, repetitionKey).values()].flatMap(chainsOf);
      const [first] = chains.toSorted((one, other) => one.sequence - other.sequence);
      const kinds = groupedBy(chains, ({ attempts: [one] }) => one?.record.operation ?? "none");
      const fixed = new Set(
        [...kinds.values()].flatMap((kind) => fixedAmong(kind, first?.pauses[0] ?? 0)),
      );
      const wrong = chains.filter((one) => fixed.has(one) || isFlood(one));
      return wrong.flatMap(offencesOf);
    }),
};

/** A request, tried again each time after it failed and its client chose how long to wait. */
interface Chain {
  readonly attempts: readonly Attempt[];
  readonly pauses: readonly number[];
  /** Of its first attempt. */
  readonly sequence: number;
}

/** Impressions without a session have none: those of different users look the same. */
function repetitionKey({ event, isOneEvent, requestKey }: Attempt): string | undefined {
  return isOneEvent || event === undefined ? requestKey : undefined;
}

function chainsOf(group: readonly Attempt[]): Chain[] {
  const chains: { attempts: Attempt[]; pauses: number[]; sequence: number }[] = [];
  let regularMs = Number.POSITIVE_INFINITY;
  for (const [at, attempt] of group.entries()) {
    const before = group[at - 1];
    const pause = before && pauseMs(before, attempt);
    const isRetry = before !== undefined && isPauseChosen(before);
    if (isRetry && pause !== undefined && pause <= LONG_MS) {
      chains.at(-1)?.attempts.push(attempt);
      chains.at(-1)?.pauses.push(pause);
    } else chains.push({ attempts: [attempt], pauses: [], sequence: attempt.sequence });
    if (before?.outcome === "answered") regularMs = Math.min(regularMs, pause ?? regularMs);
  }
  return chains.filter(
    ({ pauses }) => pauses.length > 0 && regularMs > REGULAR_RATIO * rangeOf(pauses)[1],
  );
}

/** Whether it may succeed later, and its answer had no Retry-After. */
function isPauseChosen({ outcome, retryAtMs }: Attempt): boolean {
  const isFinal = outcome === "answered" || outcome === "refused" || outcome === "unauthorized";
  return retryAtMs === undefined && !isFinal;
}

/** The chains with fixed pauses; empty unless they are at least half of these. */
function fixedAmong(chains: readonly Chain[], firstOfSenderMs: number): readonly Chain[] {
  const pauses = chains.flatMap((chain) => chain.pauses).toSorted((one, other) => one - other);
  const medianMs = pauses[Math.floor(pauses.length / 2)] ?? 0;
  const distanceOf = (chain: Chain): number =>
    rangeOf(chain.pauses.flatMap((pause) => [pause / medianMs, medianMs / pause]))[1];
  const nearest = chains.toSorted((one, other) => distanceOf(one) - distanceOf(other));
  const candidates = SHARES.map((share) => nearest.slice(0, Math.ceil(share * chains.length)));
  return (
    candidates.find((some) => areFixed(some, chains.length - some.length, firstOfSenderMs)) ?? []
  );
}

/** `left`: how many chains were left out because they are less alike. */
function areFixed(chains: readonly Chain[], left: number, firstOfSenderMs: number): boolean {
  const all = chains.flatMap(({ pauses }) => pauses);
  const [shortest, longest] = rangeOf(all);
  const spread = (longest - shortest + 1) / longest;
  const judged = chains.filter(({ attempts, pauses, sequence }) => {
    const isUnbroken = attempts.at(-1)?.sequence === sequence + pauses.length;
    return pauses.length > 1 && (isUnbroken || spread <= MAX_SPREAD_BESIDES_OTHERS);
  });
  const later = judged.map(({ pauses: [, ...others] }) => others);
  const count = later.flat().length;
  let chance = 1;
  for (let nth = 0; nth < count; nth += 1) chance *= nth < left ? CHOICES * spread : spread;
  const areAlike = count > Math.max(1, left) && spread <= MAX_SPREAD && chance <= MAX_CHANCE;
  if (shortest <= NO_PAUSE_MS || !areAlike) return false;
  const firstMs = sumOf(judged.map(({ pauses: [first = 0] }) => first));
  const laterMs = sumOf(later.map((pauses) => sumOf(pauses) / pauses.length));
  const meanMs = sumOf(all) / all.length;
  return laterMs <= MAX_GROWTH * firstMs && meanMs <= MAX_GROWTH_SINCE_FIRST * firstOfSenderMs;
}

/** Leaves out hot loops, and queries, because many users may send the same. */
function isFlood({ attempts, pauses }: Chain): boolean {
  return attempts.some(({ isOneEvent, record }, at) => {
    const latest = attempts[at + MAX_A_MINUTE + 1];
    const isWithin = latest !== undefined && latest.record.nowMs - record.nowMs < MINUTE_MS;
    return isOneEvent && isWithin && pauses.some((pause) => pause > NO_PAUSE_MS);
  });
}

function offencesOf({ attempts: [cause, ...again], pauses }: Chain): Offence[] {
  const [least, most] = rangeOf(pauses).map(durationText);
  const each = least === most ? most : `${least} to ${most}`;
  const detail = `sent again ${pauses.length} times, each after ${each}`;
  return again.map((attempt) => ({ attempt, cause, detail }));
}

function rangeOf(pauses: readonly number[]): [shortest: number, longest: number] {
  const sorted = pauses.toSorted((one, other) => one - other);
  return [sorted[0] ?? 0, sorted.at(-1) ?? 0];
}

function sumOf(amounts: readonly number[]): number {
  return amounts.reduce((sum, amount) => sum + amount, 0);
}

/** Finds retries whose pauses are fixed, with or without a little jitter, or too many. */

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
 * Pauses are fixed if they are too much alike to be drawn from growing ranges. If they differ by at most a share s of the
 * longest, and n of them aren't the first of their request, chance does that about once in s^-n times.
 */
const MAX_CHANCE = 1 / 8000;
/** How far from their median fixed pauses are at most, as a share of it. */
const MAX_JITTER = 0.25;
/** How many times their first ones the last ones are at most, on average. */
const MAX_GROWTH = 1.1;
/** How many times the sender's first pause they are at most: back-off may go on with the next request, up to its longest. */
const MAX_GROWTH_OF_SENDER = 4 / 3;

export const pausesDoNotGrow: FindingKind = {
  title: "Retries without growing pauses",
  explanation:
    "A request failed, and the client sent it again at fixed intervals (with or without a little jitter), or more than 60 times within a minute. A good client waits longer each time (exponential back-off), and varies its pauses at random so that clients don't all come back at once.",
  find: (attempts) =>
    [...groupedBy(attempts, ({ who }) => who).values()].flatMap((own) => {
      const chains = [...groupedBy(own, repetitionKey).values()].flatMap(chainsOf);
      const [first] = chains.toSorted(
        ({ attempts: [one] }, { attempts: [other] }) => one.sequence - other.sequence,
      );
      const kinds = groupedBy(chains, ({ attempts: [{ record }] }) => record.operation ?? "none");
      const fixed = new Set(
        [...kinds.values()].flatMap((kind) => fixedAmong(kind, first?.pauses[0] ?? 0)),
      );
      const wrong = chains.filter((one) => fixed.has(one) || isFlood(one));
      return wrong.flatMap(offencesOf);
    }),
};

/** A request, tried again each time after it failed and its client chose how long to wait. */
interface Chain {
  readonly attempts: readonly [Attempt, ...Attempt[]];
  readonly pauses: readonly number[];
}

/** Impressions without a session have none: those of different users look the same. */
function repetitionKey({ event, isOneEvent, requestKey }: Attempt): string | undefined {
  return isOneEvent || event === undefined ? requestKey : undefined;
}

function chainsOf(group: readonly Attempt[]): Chain[] {
  const chains: { attempts: [Attempt, ...Attempt[]]; pauses: number[] }[] = [];
  let regularMs = Number.POSITIVE_INFINITY;
  for (const [at, attempt] of group.entries()) {
    const before = group[at - 1];
    const pause = before && pauseMs(before, attempt);
    const isRetry = before !== undefined && isPauseChosen(before);
    if (isRetry && pause !== undefined && pause <= LONG_MS) {
      chains.at(-1)?.attempts.push(attempt);
      chains.at(-1)?.pauses.push(pause);
    } else chains.push({ attempts: [attempt], pauses: [] });
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

/** The chains with fixed pauses. Others may be among them, repeated for other reasons, but fewer. */
function fixedAmong(chains: readonly Chain[], firstOfSenderMs: number): readonly Chain[] {
  const pauses = chains.flatMap((chain) => chain.pauses).toSorted((one, other) => one - other);
  const medianMs = pauses[Math.floor(pauses.length / 2)] ?? 0;
  const isNear = (pause: number): boolean => Math.abs(pause - medianMs) <= MAX_JITTER * medianMs;
  const alike = chains.filter((chain) => chain.pauses.every(isNear));
  const near = alike.flatMap((chain) => chain.pauses);
  const [shortest, longest] = rangeOf(near);
  const spread = (longest - shortest + 1) / longest;
  const evidence = near.length - alike.length - (chains.length - alike.length);
  let chance = 1;
  for (let nth = 0; nth < evidence; nth += 1) chance *= spread;
  const firstMs = sumOf(alike.map((chain) => chain.pauses[0] ?? 0));
  const lastMs = sumOf(alike.map((chain) => chain.pauses.at(-1) ?? 0));
  const hasGrown =
    lastMs > MAX_GROWTH * firstMs || medianMs > MAX_GROWTH_OF_SENDER * firstOfSenderMs;
  return medianMs > NO_PAUSE_MS && !hasGrown && evidence > 1 && chance <= MAX_CHANCE ? alike : [];
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

/**
 * Finds requests that are sent again in vain: with next to no pause, although they were refused as wrong, or after pauses that
 * are fixed, with or without a little jitter.
 */

import { counted } from "../../base/counted.ts";
import { groupedBy } from "../../base/grouped-by.ts";
import { type Attempt, type Pair, pairsOf, pauseMs, type Run, runsOf } from "./attempt.ts";
import {
  durationText,
  type FindingKind,
  type FindingKinds,
  type Offence,
  offencesOf,
} from "./finding.ts";

/** Shorter pauses don't count as pauses. */
const NO_PAUSE_MS = 10;
/** Of one event. Fewer are a few quick retries. */
const MIN_IN_LOOP = 6;
/** Queries of many users look the same, so they need more. No page sends this many at once. */
const MIN_QUERIES_IN_LOOP = 50;
const MIN_REFUSALS = 3;

export const repeats = {
  "hot-loop": {
    title: "The same failing request in a hot loop",
    explanation:
      "A request failed, and the client sent it again and again with almost no pause. A good client waits before each retry, each time longer, and gives up in the end.",
    find: (attempts) =>
      sameRequests(attempts)
        .flatMap((group) => runsOf(group, isHot))
        .filter(([{ event }, ...again]) => {
          return again.length + 1 >= (event === undefined ? MIN_QUERIES_IN_LOOP : MIN_IN_LOOP);
        })
        .flatMap((run) => {
          const tookMs = (run.at(-1)?.record.nowMs ?? 0) - run[0].record.nowMs;
          const times = counted(run.length - 1, "more time");
          return offencesOf(run, `sent ${times} within ${durationText(tookMs)}`);
        }),
  },
  "refused-and-sent-again": {
    title: "Refused requests sent again unchanged",
    explanation:
      "A request was refused as invalid, and the client sent it again unchanged. A good client treats a 4xx answer (except 408, 425 and 429) as final, and reports it.",
    find: (attempts) =>
      sameRequests(attempts)
        .flatMap((group) => runsOf(group, (...pair) => pair.every(isRefused)))
        .filter(({ length }) => length >= MIN_REFUSALS)
        .flatMap((run) => offencesOf(run, `the same again ${run.length - 1} times`)),
  },
} satisfies FindingKinds;

function sameRequests(attempts: readonly Attempt[]): [Attempt, ...Attempt[]][] {
  return [...groupedBy(attempts, ({ requestKey }) => requestKey).values()];
}

function isHot(before: Attempt, next: Attempt): boolean {
  const { retryAtMs, outcome, record, answeredMs = record.nowMs } = before;
  // "Retry-After: 0" and a past date allow it.
  const isInvited = retryAtMs !== undefined && retryAtMs <= answeredMs;
  // A client needs to hear only once that an event is on record.
  const isInVain = outcome !== "answered" || record.response.status === 409;
  const pause = pauseMs(before, next);
  return isInVain && !isInvited && pause !== undefined && pause <= NO_PAUSE_MS;
}

/**
 * Leaves out paths without an operation, which have a finding of their own, and queries that a fault rule refused, because
 * many users may send the same.
 */
function isRefused({ outcome, event, record: { operation, producedBy } }: Attempt): boolean {
  const isConclusive = event !== undefined || producedBy === "service";
  return outcome === "refused" && operation !== undefined && isConclusive;
}

/** Longer pauses needn't grow any further. */
const LONG_MS = 30_000;
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
    "A request failed, and the client sent it again at fixed intervals (with or without a little jitter). A good client waits longer each time (exponential back-off), and varies its pauses at random so that clients don't all come back at once.",
  find: (attempts) =>
    [...groupedBy(attempts, ({ who }) => who).values()].flatMap((own) => {
      const groups = groupedBy(own, ({ requestKey }) => requestKey);
      const chains = [...groups.values()]
        .flatMap(chainsOf)
        .toSorted(({ run: [one] }, { run: [other] }) => one.sequence - other.sequence);
      const kinds = groupedBy(chains, ({ run: [{ record }] }) => record.operation ?? "none");
      return [...kinds.values()]
        .flatMap((kind) => fixedAmong(kind, chains[0]?.pauses[0] ?? 0))
        .flatMap(offencesIn);
    }),
};

/** A request, tried again each time after it failed and its client chose how long to wait. */
interface Chain {
  readonly run: Run;
  readonly pauses: readonly number[];
}

function chainsOf(group: Run): Chain[] {
  const regular = pairsOf(group).filter(([{ outcome }]) => outcome === "answered");
  const [regularMs = Number.POSITIVE_INFINITY] = ascending(pausesIn(regular));
  return runsOf(group, isRetry)
    .map((run) => ({ run, pauses: pausesIn(pairsOf(run)) }))
    .filter(({ pauses }) => pauses.length > 0 && regularMs > REGULAR_RATIO * rangeOf(pauses)[1]);
}

function pausesIn(pairs: readonly Pair[]): number[] {
  return pairs.flatMap(([before, next]) => pauseMs(before, next) ?? []);
}

/** Whether the request before may succeed later, its answer had no Retry-After, and the pause may still grow. */
function isRetry(before: Attempt, next: Attempt): boolean {
  const { outcome, retryAtMs } = before;
  const isFinal = outcome === "answered" || outcome === "refused" || outcome === "unauthorized";
  const pause = pauseMs(before, next);
  return retryAtMs === undefined && !isFinal && pause !== undefined && pause <= LONG_MS;
}

/** The chains with fixed pauses. Others may be among them, repeated for other reasons, but fewer. */
function fixedAmong(chains: readonly Chain[], firstOfSenderMs: number): readonly Chain[] {
  const pauses = ascending(chains.flatMap((chain) => chain.pauses));
  const medianMs = pauses[Math.floor(pauses.length / 2)] ?? 0;
  const isNear = (pause: number): boolean => Math.abs(pause - medianMs) <= MAX_JITTER * medianMs;
  const alike = chains.filter((chain) => chain.pauses.every(isNear));
  const near = alike.flatMap((chain) => chain.pauses);
  const [shortest, longest] = rangeOf(near);
  const spread = (longest - shortest + 1) / longest;
  const evidence = near.length - alike.length - (chains.length - alike.length);
  const firstMs = sumOf(alike.map((chain) => chain.pauses[0] ?? 0));
  const lastMs = sumOf(alike.map((chain) => chain.pauses.at(-1) ?? 0));
  const hasGrown =
    lastMs > MAX_GROWTH * firstMs || medianMs > MAX_GROWTH_OF_SENDER * firstOfSenderMs;
  let chance = 1;
  for (let nth = 0; nth < evidence; nth += 1) chance *= spread;
  return medianMs > NO_PAUSE_MS && !hasGrown && evidence > 1 && chance <= MAX_CHANCE ? alike : [];
}

function offencesIn({ run, pauses }: Chain): Offence[] {
  const [least, most] = rangeOf(pauses).map(durationText);
  const each = least === most ? most : `${least} to ${most}`;
  return offencesOf(run, `sent again ${pauses.length} times, each after ${each}`);
}

function rangeOf(pauses: readonly number[]): [shortest: number, longest: number] {
  const sorted = ascending(pauses);
  return [sorted[0] ?? 0, sorted.at(-1) ?? 0];
}

function ascending(amounts: readonly number[]): number[] {
  return amounts.toSorted((one, other) => one - other);
}

function sumOf(amounts: readonly number[]): number {
  return amounts.reduce((sum, amount) => sum + amount, 0);
}

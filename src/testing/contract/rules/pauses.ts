/** The pauses between attempts at one thing (spec §8): there is one, it grows, and after a success it is short again. */

import { durationInWords } from "../../../base/duration.ts";
import { isAcknowledged, isPauseChosen } from "../../session/sent.ts";
import type { Sent } from "../../session/session.ts";
import type { Told } from "../../session/told.ts";
import { commandInWords } from "../../session/words.ts";
import { isQuery } from "./answers.ts";
import type { Rule } from "./rule.ts";

export const backsOff: Rule = {
  id: "backs-off",
  says: "A client waits before it repeats a request that failed, longer each time; after a success it starts again with a short wait",
  source: "spec §8",
  needsVirtualTime: true,
  judge(told, came) {
    if (told.isReal) return undefined;
    const tasks = tasksOf(told);
    // It could have sent it again at once.
    if (tasks.some(({ sent }) => sent.some(isPauseChosen))) came();
    const chains = tasks.flatMap(({ name, sent }) => chainsOf(name, sent));
    for (const { name, pauses } of chains) {
      const none = pauses.find(({ ms }) => ms === 0);
      if (none !== undefined)
        return `A request for ${name} failed, and the client sent it again without any pause.`;
    }
    const firsts = chains
      .filter(({ isStart }) => isStart)
      .flatMap(({ pauses: [first] }) => first ?? []);
    if (firsts.length >= MIN_FIRST && firsts.every(({ ms }) => ms <= SHORTEST_TIMER_MS))
      return `The client repeated ${firsts.length} requests that had failed, each after a millisecond.`;
    return fixedPauses(told, chains) ?? longAfterSuccess(told, chains);
  },
};

/** A timer of 0 ms takes a millisecond in Node and in browsers. Full jitter up to half a second draws it four times once in 250^4. */
const SHORTEST_TIMER_MS = 1;
const MIN_FIRST = 4;

interface Task {
  readonly name: string;
  readonly sent: readonly Sent[];
}

/** What was asked for once: then every further request for it is a repetition. */
function tasksOf(told: Told): readonly Task[] {
  const queries = told.calls
    .filter(isQuery)
    .filter(({ isTogether }) => !isTogether)
    .map(({ command, step }) => ({
      name: commandInWords(command),
      sent: told.requests.filter((one) => one.step === step && one.operation === command.kind),
    }));
  return [...told.events.filter(({ asks }) => asks.length === 1), ...queries];
}

interface Pause {
  readonly ms: number;
  /** The request after it. */
  readonly next: Sent;
}

/** Attempts in one step, each after a failure that let the client choose when to come back. */
interface Chain {
  readonly name: string;
  readonly pauses: readonly Pause[];
  /** Whether it begins with the first request for this. */
  readonly isStart: boolean;
  readonly longest: number;
  readonly shortest: number;
}

function chainsOf(name: string, sent: readonly Sent[]): Chain[] {
  const chains: Chain[] = [];
  let pauses: Pause[] = [];
  let isStart = true;
  const close = (): void => {
    const all = pauses.map(({ ms }) => ms);
    if (pauses.length > 0)
      chains.push({ name, pauses, isStart, longest: Math.max(...all), shortest: Math.min(...all) });
    pauses = [];
    isStart = false;
  };
  for (const [at, next] of sent.slice(1).entries()) {
    const before = sent[at];
    const ms = before && pauseMs(before, next);
    if (ms === undefined) close();
    else pauses.push({ ms, next });
  }
  close();
  return chains;
}

/** Undefined if the client didn't choose it, or it can't be measured. */
function pauseMs(before: Sent, next: Sent): number | undefined {
  const hint = before.got.headers["retry-after"];
  // A client can take such a hint for a time that is over.
  const isInvited =
    hint !== undefined && !(Number.isNaN(Number(hint)) && Number.isNaN(Date.parse(hint)));
  const isMeasured = before.gotMs !== undefined && next.atMs >= before.gotMs;
  if (!isMeasured || isInvited || before.step !== next.step || !isPauseChosen(before))
    return undefined;
  return next.atMs - (before.gotMs ?? 0);
}

/** Pauses longer than this needn't grow any further. */
const LONG_MS = 30_000;
const MIN_PAUSES = 3;
/** A pause has grown if it is at least this many times an earlier one. */
const GROWTH = 2;
/** Five pauses with full jitter and a doubling bound all shrink once in 120,000 times. */
const MIN_SHRINKING = 5;

/**
 * Pauses count as fixed if they differ by at most this share of the longest, and the chains have so many pauses beyond two each.
 * Full jitter with a doubling bound meets that once in 80,000 times (1 %) or 500,000 times (5 %).
 */
const fixed: readonly (readonly [spread: number, beyondTwo: number])[] = [
  [0.01, 1],
  [0.05, 2],
  [0.1, 3],
  [0.33, 6],
];

/** Enough chains of jittered pauses to tell that they don't grow: simulated back-offs never met that in 100,000 sessions. */
const MIN_JITTERED = 12;
const JITTERED_GROWTH = 1.1;
const JITTERED_RATIO = 3;

function fixedPauses(told: Told, chains: readonly Chain[]): string | undefined {
  const judged = chains.filter(
    (chain) => chain.longest <= LONG_MS && !isGrown(told, chains, chain),
  );
  const long = judged.filter(({ pauses }) => pauses.length >= MIN_PAUSES);
  const shrinking = long.find(
    ({ pauses }) =>
      pauses.length >= MIN_SHRINKING &&
      pauses.every(({ ms }, at) => at === 0 || ms < (pauses[at - 1]?.ms ?? 0)),
  );
  if (shrinking !== undefined)
    return wordsOf(shrinking, "and each pause was shorter than the one before it");
  for (const [spread, beyondTwo] of fixed) {
    const alike = long.filter((chain) => {
      const isGrowing = chain.pauses.every(
        ({ ms }, at) => at === 0 || ms > (chain.pauses[at - 1]?.ms ?? 0),
      );
      return (
        (chain.longest - chain.shortest + 1) / chain.longest <= spread &&
        !(isGrowing && spread >= 0.1)
      );
    });
    const evidence = alike.reduce((sum, { pauses }) => sum + pauses.length - 2, 0);
    const [first] = alike;
    if (first !== undefined && evidence >= beyondTwo && 2 * alike.length >= long.length)
      return wordsOf(first, "and the pauses don't grow");
  }
  return jitteredPauses(judged);
}

function jitteredPauses(chains: readonly Chain[]): string | undefined {
  const judged = chains.filter(({ pauses, isStart }) => isStart && pauses.length > 1);
  const ratio =
    Math.max(...judged.map(({ longest }) => longest)) /
    Math.min(...judged.map(({ shortest }) => shortest));
  if (judged.length < MIN_JITTERED || ratio > JITTERED_RATIO) return undefined;
  const firstMs = judged.reduce((sum, { pauses: [first] }) => sum + (first?.ms ?? 0), 0);
  const laterMs = judged.reduce((sum, { pauses: [, ...later] }) => sum + meanOf(later), 0);
  const [first] = judged;
  return first !== undefined && laterMs <= JITTERED_GROWTH * firstMs
    ? wordsOf(first, `and in ${judged.length} such cases the pauses don't grow`)
    : undefined;
}

function meanOf(pauses: readonly Pause[]): number {
  return pauses.reduce((sum, { ms }) => sum + ms, 0) / pauses.length;
}

/** Whether a back-off that all requests share had grown before this chain, and no success had ended it. */
function isGrown(
  { requests }: Told,
  chains: readonly Chain[],
  { pauses, shortest }: Chain,
): boolean {
  const start = pauses[0]?.next.sequence ?? 0;
  const success = requests.findLast((one) => one.sequence < start && isAcknowledged(one));
  const before = chains
    .flatMap((chain) => chain.pauses)
    .filter(({ next }) => next.sequence < start && next.sequence > (success?.sequence ?? 0));
  return before.some(({ ms }) => GROWTH * ms <= shortest);
}

function wordsOf({ name, pauses }: Chain, what: string): string {
  const list = pauses
    .slice(0, 6)
    .map(({ ms }) => durationInWords(ms))
    .join(", ");
  return `The client repeated a request for ${name} after ${list}, ${what}. A client waits longer each time, and varies its pauses at random.`;
}

/** So many requests have to succeed in a row. A client may shorten its pauses little by little. */
const SUCCESSES = 2;
/** The pauses have grown if the longest is at least so many times as long as the first four on average. */
const GROWN = 8;
const FIRST = 4;
/** The pauses before this many aren't judged. */
const LEAST = 16;
/** Fewer long pauses can be chance: a correct client with full jitter makes so many once in 5,000 sessions with eight pauses. */
const MIN_LONG = 3;

/** The pauses grew while requests failed, and then stayed long although requests succeeded. */
function longAfterSuccess({ requests }: Told, chains: readonly Chain[]): string | undefined {
  const pauses = chains
    .flatMap(({ name, pauses: all, isStart }) =>
      all.map((pause, at) => ({ ...pause, name, isFirst: isStart && at === 0 })),
    )
    .sort((one, other) => one.next.sequence - other.next.sequence);
  const firstMs = meanOf(pauses.slice(0, FIRST));
  let longCount = 0;
  for (const [at, { name, ms, next, isFirst }] of pauses.entries()) {
    if (at < LEAST || !isFirst) continue;
    const before = requests
      .filter(({ sequence }) => sequence < next.sequence)
      .slice(-SUCCESSES - 1, -1);
    const longestMs = Math.max(...pauses.slice(0, at).map((one) => one.ms));
    if (before.length < SUCCESSES || !before.every(isAcknowledged) || longestMs < GROWN * firstMs)
      continue;
    if (2 * ms >= longestMs) longCount += 1;
    if (longCount >= MIN_LONG)
      return `The client's pauses grew from about ${durationInWords(firstMs)} to ${durationInWords(longestMs)} while requests failed. Then at least ${SUCCESSES} requests in a row succeeded, but when ${name} failed once after that, the client waited ${durationInWords(ms)}. A success ends a back-off.`;
  }
  return undefined;
}

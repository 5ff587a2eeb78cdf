/** The pauses between attempts at one thing (spec §8): there is one, and it grows. */

import { durationInWords } from "../../../base/duration.ts";
import { isAcknowledged, isPauseChosen } from "../../session/sent.ts";
import type { Sent } from "../../session/session.ts";
import type { Told } from "../../session/told.ts";
import { commandInWords } from "../../session/words.ts";
import { isQuery } from "./answers.ts";
import type { Rule } from "./rule.ts";

export const backsOff: Rule = {
  id: "backs-off",
  says: "A client waits before it repeats a request that failed, longer each time",
  source: "spec §8",
  needs: ["virtualTime"],
  judge(told, came) {
    const tasks = tasksOf(told);
    // It could have sent it again at once.
    if (tasks.some(({ sent }) => sent.some(isPauseChosen))) came();
    const chains = tasks.flatMap(chainsOf);
    return noPause(chains) ?? fixedPauses(told, chains);
  },
};

interface Task {
  readonly name: string;
  readonly sent: readonly Sent[];
}

/** What was asked for once: then every further request for it is a repetition. */
function tasksOf({ calls, requests, events }: Told): readonly Task[] {
  const queries = calls
    .filter(isQuery)
    .filter(({ isTogether }) => !isTogether)
    .map(({ command, step }) => ({
      name: commandInWords(command),
      sent: requests.filter((one) => one.step === step && one.operation === command.kind),
    }));
  return [...events.filter(({ asks }) => asks.length === 1), ...queries];
}

interface Pause {
  readonly ms: number;
  /** The request after the pause. */
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

function chainsOf({ name, sent }: Task): Chain[] {
  const runs: Pause[][] = [[]];
  for (const [at, next] of sent.slice(1).entries()) {
    const ms = pauseMs(sent[at], next);
    if (ms === undefined) runs.push([]);
    else runs.at(-1)?.push({ ms, next });
  }
  return runs.flatMap((pauses, at): Chain[] => {
    const all = pauses.map(({ ms }) => ms);
    if (all.length === 0) return [];
    return [
      { name, pauses, isStart: at === 0, longest: Math.max(...all), shortest: Math.min(...all) },
    ];
  });
}

/** Undefined if the client didn't choose it, or it can't be measured. */
function pauseMs(before: Sent | undefined, next: Sent): number | undefined {
  if (before?.gotMs === undefined || next.atMs < before.gotMs || before.step !== next.step)
    return undefined;
  const hint = before.got.headers["retry-after"];
  // A client can take such a hint for a time that is over.
  const isInvited =
    hint !== undefined && !(Number.isNaN(Number(hint)) && Number.isNaN(Date.parse(hint)));
  return isInvited || !isPauseChosen(before) ? undefined : next.atMs - before.gotMs;
}

/** A timer of 0 ms takes a millisecond in Node and in browsers. */
const SHORTEST_TIMER_MS = 1;
/** Full jitter up to half a second draws so short a pause four times in a row less than once in a billion times. */
const MIN_FIRST = 4;

function noPause(chains: readonly Chain[]): string | undefined {
  const none = chains.find(({ shortest }) => shortest === 0);
  if (none !== undefined)
    return `A request for ${none.name} failed, and the client sent it again without any pause.`;
  const firsts = chains.filter(({ isStart }) => isStart);
  if (
    firsts.length < MIN_FIRST ||
    firsts.some(({ pauses }) => (pauses[0]?.ms ?? 0) > SHORTEST_TIMER_MS)
  )
    return undefined;
  return `The client repeated ${firsts.length} requests that had failed, each after a millisecond.`;
}

/** Pauses of this length needn't grow any further. A circuit breaker may try again every half a minute. */
const LONG_MS = 30_000;

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
/** Pauses that grow steadily count as fixed only below this spread. */
const SPREAD_OF_GROWTH = 0.1;

/** So many jittered chains are enough: a back-off whose bound doubles never met the rest in 100,000 simulated sessions. */
const MIN_JITTERED = 12;
const JITTERED_GROWTH = 1.1;
const JITTERED_RATIO = 3;

function fixedPauses(told: Told, chains: readonly Chain[]): string | undefined {
  const judged = chains.filter((one) => one.longest < LONG_MS && !hasGrown(told, chains, one));
  const long = judged.filter(({ pauses }) => pauses.length > 2);
  for (const [spread, beyondTwo] of fixed) {
    const alike = long.filter(
      (one) =>
        (one.longest - one.shortest + 1) / one.longest <= spread &&
        !(spread >= SPREAD_OF_GROWTH && isGrowing(one)),
    );
    const evidence = alike.reduce((sum, { pauses }) => sum + pauses.length - 2, 0);
    if (evidence >= beyondTwo && 2 * alike.length >= long.length) return fixedText(alike);
  }
  const starts = judged.filter(({ pauses, isStart }) => isStart && pauses.length > 1);
  const [longest, shortest] = [
    Math.max(...starts.map((one) => one.longest)),
    Math.min(...starts.map((one) => one.shortest)),
  ];
  if (starts.length < MIN_JITTERED || longest > JITTERED_RATIO * shortest) return undefined;
  const firstMs = meanOf(starts.map(({ pauses: [first] }) => first?.ms ?? 0));
  const laterMs = meanOf(
    starts.map(({ pauses: [, ...later] }) => meanOf(later.map(({ ms }) => ms))),
  );
  return laterMs <= JITTERED_GROWTH * firstMs ? fixedText(starts) : undefined;
}

function isGrowing({ pauses }: Chain): boolean {
  return pauses.every(({ ms }, at) => at === 0 || ms > (pauses[at - 1]?.ms ?? 0));
}

function meanOf(all: readonly number[]): number {
  return all.reduce((sum, one) => sum + one, 0) / all.length;
}

/** Whether a back-off that all requests share had grown before this chain, and no success had ended it. */
function hasGrown(
  { requests }: Told,
  chains: readonly Chain[],
  { pauses, shortest }: Chain,
): boolean {
  const start = pauses[0]?.next.sequence ?? 0;
  const success = requests.findLast((one) => one.sequence < start && isAcknowledged(one));
  return chains
    .flatMap((chain) => chain.pauses)
    .some(
      ({ next: { sequence }, ms }) =>
        sequence < start && sequence > (success?.sequence ?? 0) && 2 * ms <= shortest,
    );
}

function fixedText([first, ...others]: readonly Chain[]): string {
  const list = first?.pauses
    .slice(0, 6)
    .map(({ ms }) => durationInWords(ms))
    .join(", ");
  const more = others.length === 0 ? "" : `, and ${others.length} others in the same way`;
  return `The client repeated a request for ${first?.name} after ${list}${more}: the pauses don't grow. A client waits longer each time, and varies its pauses at random.`;
}

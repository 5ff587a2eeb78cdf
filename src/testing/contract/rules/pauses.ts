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
    const none = chains.find(({ shortest }) => shortest === 0);
    if (none !== undefined)
      return `A request for ${none.name} failed, and the client sent it again without any pause.`;
    return fixedPauses(told, chains);
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
  readonly longest: number;
  readonly shortest: number;
}

function chainsOf({ name, sent }: Task): Chain[] {
  const chains: Pause[][] = [[]];
  for (const [at, next] of sent.slice(1).entries()) {
    const ms = pauseMs(sent[at], next);
    if (ms === undefined) chains.push([]);
    else chains.at(-1)?.push({ ms, next });
  }
  return chains
    .filter((pauses) => pauses.length > 0)
    .map((pauses) => {
      const all = pauses.map(({ ms }) => ms);
      return { name, pauses, longest: Math.max(...all), shortest: Math.min(...all) };
    });
}

/** Undefined if the client didn't choose it, or it can't be measured. */
function pauseMs(before: Sent | undefined, next: Sent): number | undefined {
  if (before?.gotMs === undefined || next.atMs < before.gotMs || before.step !== next.step)
    return undefined;
  // A client can take any hint for a time that is over.
  const isInvited = before.got.headers["retry-after"] !== undefined;
  return isInvited || !isPauseChosen(before) ? undefined : next.atMs - before.gotMs;
}

/** Pauses of this length needn't grow any further. A circuit breaker may try again every half a minute. */
const LONG_MS = 30_000;

/** Pauses count as fixed if they differ by at most this share of the longest. */
const SPREAD = 0.05;
/** So many of them beyond two in each chain: full jitter with a doubling bound meets that once in 500,000 times. */
const ENOUGH = 2;

function fixedPauses(told: Told, chains: readonly Chain[]): string | undefined {
  const long = chains
    .filter(({ longest, pauses }) => longest < LONG_MS && pauses.length > 2)
    .filter((one) => !hasGrown(told, chains, one));
  const alike = long.filter((one) => one.longest - one.shortest < SPREAD * one.longest);
  const evidence = alike.reduce((sum, { pauses }) => sum + pauses.length - 2, 0);
  const [first] = alike;
  if (first === undefined || evidence < ENOUGH || 2 * alike.length < long.length) return undefined;
  const list = first.pauses.slice(0, 6).map(({ ms }) => durationInWords(ms));
  return `The client repeated a request for ${first.name} after ${list.join(", ")}: the pauses don't grow. A client waits longer each time, and varies its pauses at random.`;
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

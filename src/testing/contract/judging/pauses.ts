/**
 * How long a client waits before it tries again of its own accord. What it is asked to do meanwhile, such as to flush, may
 * well be a reason to try at once; so only pauses within one step are its own.
 */

import {
  type Attempt,
  answeredMs,
  isAcknowledged,
  isWrongForm,
  type Sent,
} from "../../session/attempts.ts";
import { must } from "../rule.ts";
import { waitUntilMs } from "./waits.ts";

interface Repeat {
  readonly before: Sent;
  readonly next: Sent;
  readonly pauseMs: number;
}

/** More in a minute are no repeats but a flood. */
const MOST_A_MINUTE = 60;
/** A client that waits so long need not wait longer. */
const LONG_MS = 30_000;
/** The fewest pauses that can be told to be alike, and to shrink, though they are drawn at random. */
const FEWEST_ALIKE = 3;
const FEWEST_SHRINKING = 5;

/**
 * A law that every back-off keeps, with any jitter:
 * - no repeat comes in the very millisecond in which the request before failed;
 * - there are at most 60 in a minute;
 * - three pauses or more aren't all alike within 1 %, unless they are long anyway (30 s);
 * - five or more aren't each shorter than the one before.
 *
 * Of draws of a full jitter whose bound doubles, one in 80,000 is alike by chance, and one in 120,000 shrinks.
 *
 * @throws BrokenRule
 * @returns how many pauses were the client's choice.
 */
export function mustPauseAndGrow(attempt: Attempt): number {
  // Of what was asked twice nobody can tell a repeat from a new request.
  if (attempt.asks.length !== 1) return 0;
  const chains = chainsOf(attempt);
  for (const chain of chains) {
    const hasty = chain.find(({ pauseMs }) => pauseMs <= 0);
    must(hasty === undefined, () => `${heading(attempt, hasty)} again at once, without a pause.`);
    mustNotFlood(attempt, chain);
    const pauses = chain.map(({ pauseMs }) => pauseMs);
    const longest = Math.max(...pauses);
    // The clock's millisecond counts.
    const areAlike = (longest - Math.min(...pauses) - 1) * 100 <= longest;
    must(
      pauses.length < FEWEST_ALIKE || longest >= LONG_MS || !areAlike,
      () =>
        `${heading(attempt, chain[0])} ${pauses.length} more times, with pauses that don't grow: ${shown(pauses)}.`,
    );
    const areShrinking = pauses.every((one, at) => at === 0 || one < (pauses[at - 1] ?? 0));
    must(
      pauses.length < FEWEST_SHRINKING || !areShrinking,
      () =>
        `${heading(attempt, chain[0])} ${pauses.length} more times, with pauses that shrink: ${shown(pauses)}.`,
    );
  }
  return chains.reduce((sum, { length }) => sum + length, 0);
}

function mustNotFlood(attempt: Attempt, chain: readonly Repeat[]): void {
  for (const [at, { next }] of chain.entries()) {
    const latest = chain[at + MOST_A_MINUTE];
    must(
      latest === undefined || latest.next.atMs - next.atMs >= 60_000,
      () => `${heading(attempt, chain[0])} again more than ${MOST_A_MINUTE} times within a minute.`,
    );
  }
}

/** Repeats after something that failed at once, and said nothing of when to come again; without a gap. */
function chainsOf({ sent }: Attempt): Repeat[][] {
  const chains: Repeat[][] = [[]];
  for (const [at, next] of sent.entries()) {
    const before = sent[at - 1];
    if (before === undefined) continue;
    if (isChoice(before) && before.during === next.during) {
      chains.at(-1)?.push({ before, next, pauseMs: next.atMs - answeredMs(before) });
    } else chains.push([]);
  }
  return chains.filter(({ length }) => length > 0);
}

/** Whether the client itself decided when to come again: nobody told it, and it didn't wait for an answer in vain. */
function isChoice(before: Sent): boolean {
  const { fault, got } = before;
  // Of other connections without an answer the journal doesn't say whether they were closed at once, or stayed silent.
  const isAtOnce = got.status !== 0 || fault?.kind === "reset" || fault?.kind === "empty";
  const isSlow = fault?.kind === "drip" || fault?.kind === "reorder" || (fault?.delayMs ?? 0) > 0;
  const isFailed = !isAcknowledged(before) && !isWrongForm(before);
  return isFailed && isAtOnce && !isSlow && waitUntilMs(before) === undefined;
}

function heading({ operation, name }: Attempt, repeat: Repeat | undefined): string {
  const { got } = repeat?.before ?? {};
  const what = got === undefined || got.status === 0 ? "had no answer" : `got ${got.status}`;
  return `The request to record ${name} (${operation}) ${what}, and was sent`;
}

function shown(pauses: readonly number[]): string {
  return pauses.map((ms) => `${ms} ms`).join(", ");
}

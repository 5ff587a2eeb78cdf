/**
 * On a shared machine others slow a core down by up to a half, for moments or minutes. What is measured takes turns with
 * parsing, and a turn counts as left in peace if parsing was quick just before and just after it.
 */

/** What is measured takes turns with this: a body is parsed, and nothing done with it. */
export function parseBody(body: string): void {
  const parsed = JSON.parse(body) as { ad_id: unknown };
  if (typeof parsed.ad_id !== "string") throw new Error("A body is not as it was made.");
}

/** The share of parsing's turns that count as its fastest. */
const FASTEST = 0.05;
/** How much longer than those a turn of parsing takes at most where nobody disturbs. */
const IN_PEACE = 1.15;
/** Fewer of each place say nothing. */
const ENOUGH_OF_A_PLACE = 3;

/** The turns that were left in peace, and whether there are enough for a verdict. */
export interface Peace {
  readonly turns: readonly number[];
  readonly isEnough: boolean;
}

/**
 * `parsing`: its milliseconds before each turn, and behind the last. Turns that cost differently are of different places,
 * from 0 to `places` - 1: each must have its share.
 */
export function peaceOf(
  parsing: readonly number[],
  places: number,
  placeOf: (turn: number) => number,
): Peace {
  const ascending = parsing.toSorted((left, right) => left - right);
  const most = (ascending[Math.floor(parsing.length * FASTEST)] ?? 0) * IN_PEACE;
  const isQuick = (turn: number): boolean => (parsing[turn] ?? Number.POSITIVE_INFINITY) <= most;
  const turns = [...parsing.keys()].filter((turn) => isQuick(turn) && isQuick(turn + 1));
  const ofPlace = Array.from({ length: places }, () => 0);
  for (const turn of turns) ofPlace[placeOf(turn)] = (ofPlace[placeOf(turn)] ?? 0) + 1;
  return { turns, isEnough: ofPlace.every((count) => count >= ENOUGH_OF_A_PLACE) };
}

export const noVerdict =
  "Too few turns in peace for a verdict: run it again when the machine is quiet.";

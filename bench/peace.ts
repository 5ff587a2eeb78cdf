/**
 * On a shared machine others slow a core down by up to a half, for moments or minutes. What is measured takes turns with
 * parsing, and a turn counts as left in peace if parsing was quick just before and just after it.
 */

/** The share of parsing's turns that count as its fastest. */
const FASTEST = 0.05;
/** How much longer than those a turn of parsing takes at most where nobody disturbs. */
const IN_PEACE = 1.15;
/** Fewer of each place say nothing. */
const ENOUGH_OF_A_PLACE = 3;

/** Which turns were left in peace. `parsing`: its milliseconds before each turn; the next one is behind that turn. */
export function turnsInPeace(parsing: readonly number[]): readonly number[] {
  const ascending = parsing.toSorted((left, right) => left - right);
  const most = (ascending[Math.floor(parsing.length * FASTEST)] ?? 0) * IN_PEACE;
  const isQuick = (turn: number): boolean => (parsing[turn] ?? Number.POSITIVE_INFINITY) <= most;
  return [...parsing.keys()].filter((turn) => isQuick(turn) && isQuick(turn + 1));
}

/** Whether there are enough for a verdict. Turns that cost differently are of different places, from 0 to `places` - 1. */
export function isEnough(
  inPeace: readonly number[],
  places: number,
  placeOf: (turn: number) => number,
): boolean {
  const of = (place: number): number => inPeace.filter((turn) => placeOf(turn) === place).length;
  return Array.from({ length: places }, (_, place) => of(place)).every(
    (count) => count >= ENOUGH_OF_A_PLACE,
  );
}

export const noVerdict =
  "Too few turns in peace for a verdict: run it again when the machine is quiet.";

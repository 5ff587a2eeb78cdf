/**
 * Finds the smallest sets of overrides that make CMD fail, starting from rows that fail. It sees CMD only through
 * `Trials`, and the result doesn't depend on the order in which trials end.
 */

import {
  type ChoiceOverrides,
  compareSets,
  distinct,
  isWithin,
  nameOf,
  without,
} from "../../choices/matrix-plan.ts";

/** Runs CMD. */
export interface Trials {
  /** Whether CMD fails with these overrides. The result is remembered. */
  fails(overrides: ChoiceOverrides): Promise<boolean>;
  /** Runs CMD even if a result is remembered. */
  failsAgain(overrides: ChoiceOverrides): Promise<boolean>;
}

/** The findings so far. */
export interface Shrunk {
  /** Each set makes CMD fail, and was tried at least twice. */
  readonly minimal: ChoiceOverrides[];
  /** Sets that failed once and passed once. */
  readonly unstable: ChoiceOverrides[];
  /** Whether the failing rows were searched completely. */
  isComplete: boolean;
}

/** A flaky CMD has no minimal sets: the search ends after this many unstable sets. */
const MAX_UNSTABLE = 5;

/** Finds all minimal sets that the failing rows show. */
export async function shrink(
  failing: readonly ChoiceOverrides[],
  trials: Trials,
  found: Shrunk,
): Promise<void> {
  const givenUp = new Set<string>();
  for (;;) {
    const known = [...found.minimal].sort(compareSets);
    const open = distinct(failing.flatMap((row) => [...unexplained(row, known)]));
    const answers = await Promise.all(open.map((set) => trials.fails(set)));
    const unsolved = open.filter((set, index) => answers[index] && !givenUp.has(nameOf(set)));
    found.isComplete = unsolved.length === 0;
    if (found.isComplete) return;
    for (const set of unsolved) {
      // A set that was just found may explain this one.
      if (found.minimal.some((one) => isWithin(one, set))) continue;
      if (found.unstable.length >= MAX_UNSTABLE) return;
      if (!(await solve(set, trials, found))) givenUp.add(nameOf(set));
    }
  }
}

/** Finds a minimal set in a set that fails, and tries it again. @returns whether it failed each time. */
async function solve(set: ChoiceOverrides, trials: Trials, found: Shrunk): Promise<boolean> {
  // Alone: a CMD that only fails in parallel passes here.
  const isStable = await trials.failsAgain(set);
  const minimal = isStable ? await minimise(set, trials) : set;
  const isConfirmed = isStable && (await trials.failsAgain(minimal));
  (isConfirmed ? found.minimal : found.unstable).push(minimal);
  return isConfirmed;
}

/** Looks for the shortest beginning that fails: its last override is needed. With that one in all trials, it goes on. */
async function minimise(set: ChoiceOverrides, { fails }: Trials): Promise<ChoiceOverrides> {
  let needed: ChoiceOverrides = [];
  let rest = set;
  const withFirst = (count: number): ChoiceOverrides => {
    const some = [...needed, ...rest.slice(0, count)];
    return set.filter((one) => some.includes(one));
  };
  while (rest.length > 0 && !(await fails(withFirst(0)))) {
    let [passing, failing] = [0, rest.length];
    while (failing - passing > 1) {
      const middle = Math.floor((passing + failing) / 2);
      if (await fails(withFirst(middle))) failing = middle;
      else passing = middle;
    }
    needed = [...needed, ...rest.slice(passing, failing)];
    rest = rest.slice(0, passing);
  }
  return withFirst(0);
}

/**
 * The remainders of a row that contain no complete known set. One override of each set is removed, in every possible
 * way, because two sets can share an override.
 */
function* unexplained(
  row: ChoiceOverrides,
  known: readonly ChoiceOverrides[],
): Generator<ChoiceOverrides> {
  const whole = known.find((set) => isWithin(set, row));
  if (whole === undefined) yield row;
  else for (const one of whole) yield* unexplained(without(row, [one]), known);
}

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
} from "../../choices/choice-overrides.ts";

/** Runs CMD. */
export interface Trials {
  /** Whether CMD fails with these overrides. The result is remembered. */
  fails(overrides: ChoiceOverrides): Promise<boolean>;
  /** Runs CMD again even if a result is remembered, remembers the new one, and keeps the output if it fails. */
  failsAgain(overrides: ChoiceOverrides): Promise<boolean>;
}

/** The findings so far. An interrupted search leaves what it has found. */
export interface ShrinkState {
  /** Each set makes CMD fail, and no smaller part of it does. Each was tried at least twice. */
  readonly minimal: ChoiceOverrides[];
  /** Sets that failed once and passed once. */
  readonly unstable: ChoiceOverrides[];
  /** Whether the failing rows were searched completely. */
  isComplete: boolean;
}

export interface ShrinkOptions {
  readonly passing: readonly ChoiceOverrides[];
  readonly failing: readonly ChoiceOverrides[];
  readonly trials: Trials;
  /** How many trials to run at a time. */
  readonly width: number;
}

/** A flaky CMD has no minimal sets: the search ends after this many unstable sets. */
const MAX_UNSTABLE = 5;

/** Finds all minimal sets that the failing rows show. */
export async function shrink(options: ShrinkOptions, found: ShrinkState): Promise<void> {
  const { failing, trials } = options;
  const givenUp = new Set<string>();
  await trySuspects(options, found);
  while (found.unstable.length < MAX_UNSTABLE) {
    const rests = failing.map((row) => unexplained(row, found.minimal));
    const open = distinct(rests.flatMap(({ sets }) => sets));
    const answers = await Promise.all(open.map((set) => trials.fails(set)));
    const unsolved = open.filter((set, index) => answers[index] && !givenUp.has(nameOf(set)));
    found.isComplete = unsolved.length === 0 && rests.every(({ isComplete }) => isComplete);
    if (unsolved.length === 0) return;
    for (const set of unsolved) {
      // A set that was just found may explain this one.
      if (found.minimal.some((known) => isWithin(known, set))) continue;
      if (found.unstable.length >= MAX_UNSTABLE) return;
      if (!(await solve(set, options, found))) givenUp.add(nameOf(set));
    }
  }
}

/** Tries each override that is in no passing row: it may fail alone. */
async function trySuspects(options: ShrinkOptions, found: ShrinkState): Promise<void> {
  const { passing, failing, trials } = options;
  const innocent = new Set(passing.flat());
  const suspects = distinct(failing.flat().map((override) => [override])).filter(
    ([override = ""]) => !innocent.has(override),
  );
  const alone = await Promise.all(suspects.map((suspect) => trials.fails(suspect)));
  const guilty = suspects.filter((_, index) => alone[index]);
  // One after the other: a CMD that only fails in parallel passes here.
  for (const set of guilty) {
    if (found.unstable.length >= MAX_UNSTABLE) return;
    const isConfirmed = await trials.failsAgain(set);
    (isConfirmed ? found.minimal : found.unstable).push(set);
  }
}

/** Finds a minimal set in a set that fails, and tries it again. @returns whether it failed each time. */
async function solve(
  set: ChoiceOverrides,
  options: ShrinkOptions,
  found: ShrinkState,
): Promise<boolean> {
  const { trials } = options;
  const isStable = await trials.failsAgain(set);
  const minimal = isStable ? await minimise(set, options) : set;
  const isConfirmed = isStable && (await trials.failsAgain(minimal));
  (isConfirmed ? found.minimal : found.unstable).push(minimal);
  return isConfirmed;
}

/** Delta debugging (Zeller and Hildebrandt's ddmin): without any one override of the result, CMD passes. */
async function minimise(set: ChoiceOverrides, options: ShrinkOptions): Promise<ChoiceOverrides> {
  let current = set;
  let pieces = 2;
  while (current.length > 1) {
    const chunks = split(current, pieces);
    // With two chunks, each is the rest of the other.
    const rests = pieces === 2 ? [] : chunks.map((chunk) => without(current, chunk));
    const smaller = await firstFailing([...chunks, ...rests], options);
    if (smaller !== undefined) {
      pieces = chunks.includes(smaller) ? 2 : Math.max(2, pieces - 1);
      current = smaller;
    } else if (pieces < current.length) {
      pieces = Math.min(current.length, pieces * 2);
    } else {
      break;
    }
  }
  return current;
}

/** The first set in order that fails, however many are tried at a time. */
async function firstFailing(
  sets: readonly ChoiceOverrides[],
  { trials, width }: ShrinkOptions,
): Promise<ChoiceOverrides | undefined> {
  for (let from = 0; from < sets.length; from += width) {
    const some = sets.slice(from, from + width);
    const answers = await Promise.all(some.map((set) => trials.fails(set)));
    const failing = some.find((_, index) => answers[index]);
    if (failing !== undefined) return failing;
  }
  return undefined;
}

function split(overrides: ChoiceOverrides, pieces: number): ChoiceOverrides[] {
  return Array.from({ length: pieces }, (_, piece) =>
    overrides.slice(
      Math.floor((piece * overrides.length) / pieces),
      Math.floor(((piece + 1) * overrides.length) / pieces),
    ),
  );
}

/** At most this many remainders of a row are tried. */
const MAX_RESTS = 256;

/**
 * The remainders of a row that contain no complete known set. One override of each set is removed, in every possible
 * way, because two sets can share an override.
 */
function unexplained(
  row: ChoiceOverrides,
  known: readonly ChoiceOverrides[],
): { readonly sets: readonly ChoiceOverrides[]; readonly isComplete: boolean } {
  // Small sets first: a set of one override can be broken in only one way.
  const bySize = [...known].sort(compareSets);
  const seen = new Map<string, ChoiceOverrides>([[nameOf(row), row]]);
  const sets: ChoiceOverrides[] = [];
  for (const set of seen.values()) {
    if (seen.size > MAX_RESTS) return { sets, isComplete: false };
    const whole = bySize.find((each) => isWithin(each, set));
    if (whole === undefined) {
      sets.push(set);
      continue;
    }
    for (const override of whole) {
      const rest = without(set, [override]);
      if (!seen.has(nameOf(rest))) seen.set(nameOf(rest), rest);
    }
  }
  return { sets, isComplete: true };
}

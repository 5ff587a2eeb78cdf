/**
 * From rows that fail to the smallest sets of overrides that make CMD fail. Knows CMD only as a question that is asked
 * again and again; the order of the answers doesn't matter to the result.
 */

import {
  type ChoiceOverrides,
  compareSets,
  distinct,
  isWithin,
  nameOf,
  without,
} from "../../readings/choice-overrides.ts";

/** Asks CMD. */
export interface Trials {
  /** Whether CMD fails with these overrides. A set that makes no sense passes. An answer is remembered. */
  fails(overrides: ChoiceOverrides): Promise<boolean>;
  /** Asks once more whatever is remembered, and remembers the new answer. */
  failsAgain(overrides: ChoiceOverrides): Promise<boolean>;
  /** The same, for a set that is going to be reported. */
  confirm(overrides: ChoiceOverrides): Promise<boolean>;
  /** As many of the overrides as make sense together. */
  compatiblePart(overrides: ChoiceOverrides): ChoiceOverrides;
}

/** What is known, added to as it is found: a search that is broken off leaves what it has. */
export interface ShrinkState {
  /** Each makes CMD fail, and nothing less of it does. Each was tried at least twice. */
  readonly minimal: ChoiceOverrides[];
  /** What failed once and passed once. */
  readonly unstable: ChoiceOverrides[];
  /** Whether all that the failing rows can show was looked at. */
  isComplete: boolean;
}

export interface ShrinkOptions {
  readonly passing: readonly ChoiceOverrides[];
  readonly failing: readonly ChoiceOverrides[];
  readonly trials: Trials;
  /** How many questions it is worth asking at a time. */
  readonly width: number;
}

/** A CMD that passes and fails as it likes has no minimal sets: after this many contradictions nothing more is asked. */
const MAX_UNSTABLE = 5;

/** Finds all minimal sets that the failing rows show. */
export async function shrink(options: ShrinkOptions, found: ShrinkState): Promise<void> {
  const { failing, trials } = options;
  const givenUp = new Set<string>();
  await trySuspects(options, found);
  while (found.unstable.length < MAX_UNSTABLE) {
    const rests = failing.map((row) => unexplained(row, found.minimal, trials));
    const open = distinct(rests.flatMap(({ sets }) => sets));
    const answers = await Promise.all(open.map((set) => trials.fails(set)));
    const unsolved = open.filter((set, index) => answers[index] && !givenUp.has(nameOf(set)));
    found.isComplete = unsolved.length === 0 && rests.every(({ isComplete }) => isComplete);
    if (unsolved.length === 0) return;
    for (const set of unsolved) {
      // One that was just found may explain this one.
      if (found.minimal.some((known) => isWithin(known, set))) continue;
      if (found.unstable.length >= MAX_UNSTABLE) return;
      if (!(await solve(set, options, found))) givenUp.add(nameOf(set));
    }
  }
}

/** What occurs in no passing row may fail on its own. */
async function trySuspects(options: ShrinkOptions, found: ShrinkState): Promise<void> {
  const { passing, failing, trials } = options;
  const innocent = new Set(passing.flat());
  const suspects = distinct(failing.flat().map((override) => [override])).filter(
    ([override = ""]) => !innocent.has(override),
  );
  const alone = await Promise.all(suspects.map((suspect) => trials.fails(suspect)));
  const guilty = suspects.filter((_, index) => alone[index]);
  // One after the other: what fails only because another CMD runs beside it passes here.
  for (const set of guilty) {
    if (found.unstable.length >= MAX_UNSTABLE) return;
    const isConfirmed = await trials.confirm(set);
    (isConfirmed ? found.minimal : found.unstable).push(set);
  }
}

/** Finds one minimal set within a set that fails, and tries it again. @returns whether it failed each time. */
async function solve(
  set: ChoiceOverrides,
  options: ShrinkOptions,
  found: ShrinkState,
): Promise<boolean> {
  const { trials } = options;
  const isStable = await trials.failsAgain(set);
  const minimal = isStable ? await minimise(set, options) : set;
  const isConfirmed = isStable && (await trials.confirm(minimal));
  (isConfirmed ? found.minimal : found.unstable).push(minimal);
  return isConfirmed;
}

/** Delta debugging (Zeller and Hildebrandt's ddmin): taking any one override out of the result makes CMD pass. */
async function minimise(set: ChoiceOverrides, options: ShrinkOptions): Promise<ChoiceOverrides> {
  let current = set;
  let pieces = 2;
  while (current.length > 1) {
    const chunks = split(current, pieces);
    // With two chunks, the rest of one is the other.
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

/** The first in order that fails, however many are asked at a time. */
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

/** How many ways to take the known sets out of one row are tried. */
const MAX_RESTS = 256;

/**
 * What is left of a row in which no known set is whole: one override of each is taken out, in every way there is, since
 * two sets can share a override.
 */
function unexplained(
  row: ChoiceOverrides,
  known: readonly ChoiceOverrides[],
  trials: Pick<Trials, "compatiblePart">,
): { readonly sets: readonly ChoiceOverrides[]; readonly isComplete: boolean } {
  // Those of one override leave one way only.
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
      const rest = trials.compatiblePart(without(set, [override]));
      if (!seen.has(nameOf(rest))) seen.set(nameOf(rest), rest);
    }
  }
  return { sets, isComplete: true };
}

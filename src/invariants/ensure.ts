/** How a check ends: passed, failed, or undecided. */

export type Result = "passed" | "failed" | "undecided";

// Exceptions, because any requirement of an invariant can end it, even from within loops and helpers.
export class Broken extends Error {}
export class Inconclusive extends Error {}

/** Ends a check with "failed" unless `holds`. */
export function ensure(holds: boolean, why: () => string): asserts holds {
  if (!holds) throw new Broken(why());
}

/** Ends a check with "undecided". */
export function inconclusive(why: string): never {
  throw new Inconclusive(why);
}

/** Ends a check with "failed" unless two texts are equal. `where` introduces the difference. */
export function ensureSame(before: string, after: string, where: string): void {
  ensure(before === after, () => `${where}, ${firstDifference(before, after)}`);
}

function firstDifference(before: string, after: string): string {
  let at = 0;
  while (at < before.length && before[at] === after[at]) at += 1;
  const from = Math.max(0, at - 40);
  return `${before.slice(from, at + 60)} became ${after.slice(from, at + 60)}`;
}

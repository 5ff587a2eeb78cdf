/** How a check ends: passed, failed, or undecided. */

export type Result = "passed" | "failed" | "undecided";

// Exceptions, because any requirement of an invariant can end it, even from within loops and helpers.
export class Broken extends Error {}
export class Inconclusive extends Error {}

/** Ends a check with "failed" unless `holds`. */
export function ensure(holds: boolean, why: string): asserts holds {
  if (!holds) throw new Broken(why);
}

/** Ends a check with "undecided". */
export function inconclusive(why: string): never {
  throw new Inconclusive(why);
}

/** Checks each, and says what was checked. Inconclusive if there are none. */
export function ensureEach<Item>(
  items: readonly Item[],
  what: string,
  check: (item: Item) => void,
): string {
  if (items.length === 0) inconclusive(`there were no ${what}`);
  for (const item of items) check(item);
  return `${items.length} ${what}`;
}

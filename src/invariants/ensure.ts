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

/** Ends a check with "failed" unless two texts are equal. `where` introduces the difference. */
export function ensureSame(before: string, after: string, where: string): void {
  if (before === after) return;
  let at = 0;
  while (before[at] === after[at]) at += 1;
  const near = (text: string): string => text.slice(Math.max(0, at - 40), at + 60);
  throw new Broken(`${where}, ${near(before)} became ${near(after)}`);
}

/** Which combinations a covering array misses: counted by the definition, with no code of the generator. */

export interface Shape {
  /** How many levels each column has. */
  readonly levels: readonly number[];
  readonly strength: number;
  /** Whether some allowed row has these levels in these columns. */
  readonly isPossible: (columns: readonly number[], levels: readonly number[]) => boolean;
}

/** The possible tuples that are in no row, as text; at most a few. */
export function missingTuples(rows: readonly (readonly number[])[], shape: Shape): string[] {
  const { levels, strength, isPossible } = shape;
  const missing: string[] = [];
  for (const columns of choose(levels.length, Math.min(strength, levels.length))) {
    const counts = columns.map((column) => levels[column] ?? 0);
    const size = counts.reduce((product, count) => product * count, 1);
    const seen = new Uint8Array(size);
    for (const row of rows) {
      let number = 0;
      for (const [place, column] of columns.entries()) {
        number = number * (counts[place] ?? 0) + (row[column] ?? 0);
      }
      seen[number] = 1;
    }
    for (let number = seen.indexOf(0); number !== -1; number = seen.indexOf(0, number + 1)) {
      const tuple = digits(number, counts);
      if (isPossible(columns, tuple)) missing.push(`${columns.join()}: ${tuple.join()}`);
      if (missing.length > 9) return missing;
    }
  }
  return missing;
}

/** Every set of `size` of the numbers below `end`, in ascending order. */
export function choose(end: number, size: number): number[][] {
  if (size === 0) return [[]];
  return Array.from({ length: end }, (_, last) =>
    choose(last, size - 1).map((rest) => [...rest, last]),
  ).flat();
}

/** Every row of these level counts. */
export function everyRow(levels: readonly number[]): number[][] {
  const size = levels.reduce((product, count) => product * count, 1);
  return Array.from({ length: size }, (_, number) => digits(number, levels));
}

/** A number written with these counts as bases, the last digit the lowest. */
function digits(number: number, counts: readonly number[]): number[] {
  let rest = number;
  return counts
    .toReversed()
    .map((count) => {
      const digit = rest % count;
      rest = Math.floor(rest / count);
      return digit;
    })
    .reverse();
}

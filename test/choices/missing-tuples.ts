/** Which combinations a covering array misses: counted by the definition. */

/** The tuples of `strength` levels of different columns that are in no row, as text; at most a few. */
export function missingTuples(
  rows: readonly (readonly number[])[],
  levels: readonly number[],
  strength: number,
): string[] {
  const missing: string[] = [];
  for (const columns of choose(levels.length, strength)) {
    const seen = new Set(rows.map((row) => columns.map((column) => row[column]).join()));
    for (const tuple of everyTuple(columns.map((column) => levels[column] ?? 0))) {
      if (!seen.has(tuple.join())) missing.push(`${columns.join()}: ${tuple.join()}`);
      if (missing.length > 9) return missing;
    }
  }
  return missing;
}

/** Every set of `size` of the numbers below `end`, in ascending order. */
function choose(end: number, size: number): number[][] {
  if (size === 0) return [[]];
  return Array.from({ length: end }, (_, last) =>
    choose(last, size - 1).map((rest) => [...rest, last]),
  ).flat();
}

function everyTuple([count, ...others]: readonly number[]): number[][] {
  if (count === undefined) return [[]];
  return Array.from({ length: count }, (_, level) =>
    everyTuple(others).map((rest) => [level, ...rest]),
  ).flat();
}

/** Combinations that no row may hold, and whether a row that is not complete can still become one without them. */

/** One level of one column. */
export interface Cell {
  readonly column: number;
  readonly level: number;
}

/** A level for every column, or {@link OPEN}. */
export type Row = number[];

/** Stands in a row where no level was chosen yet. */
export const OPEN = -1;

/** Every method leaves a row as it was. */
export interface Rules {
  /** Whether levels for the open columns exist that make the row allowed. */
  isExtendable(row: Row): boolean;
  /** The same for the row with another level in one column, if it is extendable as it stands. */
  allowsMove(row: Row, column: number, level: number): boolean;
  /** Whether any forbidden cell is in these columns. */
  anyConstrained(columns: readonly number[]): boolean;
  /** Whether an allowed row exists that holds all these cells. */
  allows(cells: readonly Cell[]): boolean;
}

/** `forbidden`: cells that no row may hold all of. */
export function createRules(
  levels: readonly number[],
  forbidden: readonly (readonly Cell[])[],
): Rules {
  const concerned = [...new Set(forbidden.flatMap((cells) => cells.map(({ column }) => column)))];
  const isConcerned = levels.map((_, column) => concerned.includes(column));
  const openRow: Row = levels.map(() => OPEN);

  function isForbidden(row: Row): boolean {
    return forbidden.some((cells) => cells.every(({ column, level }) => row[column] === level));
  }
  function isExtendable(row: Row): boolean {
    if (isForbidden(row)) return false;
    const open = concerned.find((column) => row[column] === OPEN);
    if (open === undefined) return true;
    let found = false;
    for (let level = 0; level < (levels[open] ?? 0) && !found; level += 1) {
      found = isExtendableWith(row, open, level);
    }
    return found;
  }
  function isExtendableWith(row: Row, column: number, level: number): boolean {
    const before = row[column] ?? OPEN;
    row[column] = level;
    const found = isExtendable(row);
    row[column] = before;
    return found;
  }

  return {
    isExtendable,
    allowsMove: (row, column, level) =>
      isConcerned[column] !== true || isExtendableWith(row, column, level),
    anyConstrained: (columns) => columns.some((column) => isConcerned[column]),
    allows(cells) {
      for (const { column, level } of cells) openRow[column] = level;
      const found = isExtendable(openRow);
      for (const { column } of cells) openRow[column] = OPEN;
      return found;
    },
  };
}

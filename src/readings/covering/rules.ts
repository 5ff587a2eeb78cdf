/** Knows the forbidden combinations, and whether an incomplete row can be completed without them. */

/** One level of one column. */
export interface Cell {
  readonly column: number;
  readonly level: number;
}

/** A level for every column, or {@link OPEN}. */
export type Row = number[];

/** Marks a column without a level. */
export const OPEN = -1;

/** No method changes the row that it gets. */
export interface Rules {
  /** Whether some levels for the open columns make the row allowed. */
  isExtendable(row: Row): boolean;
  /** Whether the row stays extendable with another level in one column. It must be extendable now. */
  allowsMove(row: Row, column: number, level: number): boolean;
  /** Whether any forbidden cell is in these columns. */
  anyConstrained(columns: readonly number[]): boolean;
  /** Whether an allowed row can contain all these cells. */
  allows(cells: readonly Cell[]): boolean;
}

/** `forbidden`: combinations of cells that no row may contain. */
export function createRules(
  levels: readonly number[],
  forbidden: readonly (readonly Cell[])[],
): Rules {
  const constrained = [...new Set(forbidden.flatMap((cells) => cells.map(({ column }) => column)))];
  const isConstrained = levels.map((_, column) => constrained.includes(column));
  const openRow: Row = levels.map(() => OPEN);

  function isForbidden(row: Row): boolean {
    return forbidden.some((cells) => cells.every(({ column, level }) => row[column] === level));
  }
  function isExtendable(row: Row): boolean {
    if (isForbidden(row)) return false;
    const open = constrained.find((column) => row[column] === OPEN);
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
      isConstrained[column] !== true || isExtendableWith(row, column, level),
    anyConstrained: (columns) => columns.some((column) => isConstrained[column]),
    allows(cells) {
      for (const { column, level } of cells) openRow[column] = level;
      const found = isExtendable(openRow);
      for (const { column } of cells) openRow[column] = OPEN;
      return found;
    },
  };
}

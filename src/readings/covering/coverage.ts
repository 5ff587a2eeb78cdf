/**
 * Tracks which tuples of levels the rows cover while columns and rows are added and single cells change. Tuples are numbered,
 * so that counting needs arrays and no maps. A class for speed: all the time is spent here.
 */

import { type Cell, OPEN, type Row, type Rules } from "./rules.ts";

export interface CoverageOptions {
  /** How many levels each column has. */
  readonly levels: readonly number[];
  /** How many columns a tuple spans. */
  readonly strength: number;
  readonly rules: Rules;
}

/** Columns, whose tuples are numbered from `first` on in the order of their levels. */
interface ColumnSet {
  readonly columns: readonly number[];
  readonly first: number;
}

/** The sets that a column is in. `steps`: by how much a tuple's number in each set grows with the column's level. */
interface Membership {
  readonly sets: number[];
  readonly steps: number[];
}

/** A new level for a cell of a row. */
export interface Move extends Cell {
  readonly row: number;
}

export class Coverage {
  readonly rows: Row[] = [];
  /** How many columns are in use; the cells of the others are open. */
  columns = 0;
  /** How many allowed tuples no row has. */
  uncoveredCount = 0;
  /** The cost of the search so far: rows and tuples examined to find and compare moves. */
  effort = 0;
  readonly #levels: readonly number[];
  readonly #strength: number;
  readonly #rules: Rules;
  readonly #sets: ColumnSet[] = [];
  readonly #memberships: readonly Membership[];
  /** By row, then by set. */
  readonly #tuplesOf: number[][] = [];
  /** By tuple: its set, and how many rows have it. */
  readonly #setOf: number[] = [];
  readonly #rowsWith: number[] = [];
  /** The uncovered tuples in any order, and by tuple its place among them. */
  readonly #uncovered: number[] = [];
  readonly #placeOf: number[] = [];

  constructor({ levels, strength, rules }: CoverageOptions) {
    this.#levels = levels;
    this.#strength = strength;
    this.#rules = rules;
    this.#memberships = levels.map(() => ({ sets: [], steps: [] }));
  }

  /** Starts using the next column. Its cells are open until they get a level. */
  addColumn(): void {
    const column = this.columns;
    this.columns += 1;
    for (const others of subsets(column, this.#strength - 1)) this.#addSet([...others, column]);
  }

  /** Adds a row that has a level in every column in use. */
  addRow(row: Row): void {
    const tuples = this.#sets.map((set) => this.#tupleOf(row, set));
    this.rows.push(row);
    this.#tuplesOf.push(tuples);
    for (const tuple of tuples) this.#cover(tuple);
  }

  levelOf(row: number, column: number): number {
    return this.rows[row]?.[column] ?? OPEN;
  }

  /** How many sets a column is in: the most uncovered tuples that one cell of it can cover. */
  setCountOf(column: number): number {
    return this.#memberships[column]?.sets.length ?? 0;
  }

  /** The cells of the uncovered tuple at a place from 0 to `uncoveredCount - 1`. The order is arbitrary. */
  uncoveredAt(place: number): Cell[] {
    const tuple = this.#uncovered[place] ?? 0;
    return this.#cellsOf(tuple, this.#setOf[tuple] ?? 0);
  }

  /** The moves of single cells that cover a tuple: one in each row that lacks only one of its cells. */
  movesFor(tuple: readonly Cell[]): Move[] {
    const moves: Move[] = [];
    for (const [row, cells] of this.rows.entries()) {
      const difference = onlyDifference(cells, tuple);
      if (difference !== undefined) moves.push({ row, ...difference });
    }
    this.effort += this.rows.length;
    return moves;
  }

  /** By how much the move would increase `uncoveredCount`. */
  costOf({ row, column, level }: Move): number {
    const { sets, steps } = this.#memberships[column] ?? noMembership;
    const tuples = this.#tuplesOf[row] ?? [];
    const before = this.levelOf(row, column);
    const by = before === OPEN ? level : level - before;
    let cost = 0;
    for (let index = 0; index < sets.length; index += 1) {
      const tuple = tuples[sets[index] ?? 0] ?? 0;
      if (before !== OPEN && this.#rowsWith[tuple] === 1) cost += 1;
      if (this.#rowsWith[tuple + by * (steps[index] ?? 0)] === 0) cost -= 1;
    }
    this.effort += sets.length;
    return cost;
  }

  make({ row, column, level }: Move): void {
    const { sets, steps } = this.#memberships[column] ?? noMembership;
    const tuples = this.#tuplesOf[row] ?? [];
    const before = this.levelOf(row, column);
    const by = before === OPEN ? level : level - before;
    for (const [index, set] of sets.entries()) {
      const tuple = tuples[set] ?? 0;
      const after = tuple + by * (steps[index] ?? 0);
      if (before !== OPEN) this.#uncover(tuple);
      this.#cover(after);
      tuples[set] = after;
    }
    const cells = this.rows[row];
    if (cells !== undefined) cells[column] = level;
  }

  /** Drops rows whose tuples all occur in other rows. A row added for a later column can make an earlier one unnecessary. */
  necessaryRows(): Row[] {
    const rowsWith = [...this.#rowsWith];
    return this.rows.filter((_, row) => {
      const tuples = this.#tuplesOf[row] ?? [];
      const isNecessary = tuples.some((tuple) => rowsWith[tuple] === 1);
      if (!isNecessary) for (const tuple of tuples) rowsWith[tuple] = (rowsWith[tuple] ?? 0) - 1;
      return isNecessary;
    });
  }

  #addSet(columns: readonly number[]): void {
    const number = this.#sets.length;
    const set = { columns, first: this.#rowsWith.length };
    this.#sets.push(set);
    let size = 1;
    for (const column of columns.toReversed()) {
      this.#memberships[column]?.sets.push(number);
      this.#memberships[column]?.steps.push(size);
      size *= this.#levels[column] ?? 1;
    }
    const concerned = this.#rules.anyConstrained(columns);
    for (let tuple = set.first; tuple < set.first + size; tuple += 1) {
      this.#setOf.push(number);
      this.#rowsWith.push(0);
      this.#placeOf.push(OPEN);
      if (!concerned || this.#rules.allows(this.#cellsOf(tuple, number))) this.#list(tuple);
    }
    for (const [row, cells] of this.rows.entries()) {
      this.#tuplesOf[row]?.push(this.#tupleOf(cells, set));
    }
  }

  /** The number of a row's tuple; an open cell counts as level 0. */
  #tupleOf(row: Row, { columns, first }: ColumnSet): number {
    let within = 0;
    for (const column of columns) {
      within = within * (this.#levels[column] ?? 1) + Math.max(0, row[column] ?? OPEN);
    }
    return first + within;
  }

  #cellsOf(tuple: number, setNumber: number): Cell[] {
    const { columns, first } = this.#sets[setNumber] ?? { columns: [], first: 0 };
    let within = tuple - first;
    return columns.toReversed().map((column) => {
      const among = this.#levels[column] ?? 1;
      const level = within % among;
      within = (within - level) / among;
      return { column, level };
    });
  }

  #cover(tuple: number): void {
    const rows = (this.#rowsWith[tuple] ?? 0) + 1;
    this.#rowsWith[tuple] = rows;
    if (rows > 1) return;
    this.uncoveredCount -= 1;
    const last = this.#uncovered[this.uncoveredCount] ?? 0;
    const place = this.#placeOf[tuple] ?? 0;
    this.#uncovered[place] = last;
    this.#placeOf[last] = place;
  }

  #uncover(tuple: number): void {
    const rows = (this.#rowsWith[tuple] ?? 0) - 1;
    this.#rowsWith[tuple] = rows;
    if (rows === 0) this.#list(tuple);
  }

  #list(tuple: number): void {
    this.#uncovered[this.uncoveredCount] = tuple;
    this.#placeOf[tuple] = this.uncoveredCount;
    this.uncoveredCount += 1;
  }
}

const noMembership: Membership = { sets: [], steps: [] };

/** The only cell of a tuple that a row lacks; undefined if it lacks none or several. */
function onlyDifference(row: Row, tuple: readonly Cell[]): Cell | undefined {
  let difference: Cell | undefined;
  for (const cell of tuple) {
    if (row[cell.column] === cell.level) continue;
    if (difference !== undefined) return undefined;
    difference = cell;
  }
  return difference;
}

/** Every set of `size` columns below `end`, each in ascending order. */
function subsets(end: number, size: number): number[][] {
  if (size === 0) return [[]];
  return Array.from({ length: end }, (_, last) =>
    subsets(last, size - 1).map((rest) => [...rest, last]),
  ).flat();
}

/**
 * Fills one more column so that every tuple is covered: first greedily, then by moving single cells of this or an earlier
 * column (a tabu search), and with new rows only if that isn't enough.
 */

import type { NextDraw } from "../../base/random.ts";
import type { Coverage, Move } from "./coverage.ts";
import { OPEN, type Row, type Rules } from "./rules.ts";

export interface FillOptions {
  readonly levels: readonly number[];
  /** How many of the first columns never change. Their full product is already there. */
  readonly fixed: number;
  readonly rules: Rules;
  readonly draw: NextDraw;
  /** Give up when this many rows would be needed. */
  readonly tooManyRows: number;
}

/** Stop after this many moves per cell without progress. */
const MOVES_PER_CELL = 50;
/** Or after this much effort without progress (see `Coverage.effort`), and at least `MIN_MOVES` moves. */
const EFFORT = 500_000;
const MIN_MOVES = 200;
/** With only a few tuples uncovered, try harder: the search often succeeds, which saves a row. */
const FEW_UNCOVERED = 10;
const FEW_UNCOVERED_EFFORT = 10_000_000;
/** Total effort after which the search no longer tries harder. */
const MAX_EFFORT = 20_000_000;
/** A moved cell stays unchanged for two to four moves. */
const TABU_TENURE = { least: 2, spread: 3 } as const;

/** Starts using the next column and fills it. @returns false if it gave up. */
export function fillColumn(coverage: Coverage, options: FillOptions): boolean {
  const column = coverage.columns;
  coverage.addColumn();
  for (const row of coverage.rows.keys()) setBest(coverage, row, column, options);
  for (;;) {
    moveCells(coverage, options);
    if (coverage.uncoveredCount === 0) return true;
    // A row covers at most `setCountOf(column)` tuples of the column.
    const needed = Math.max(1, Math.floor(coverage.uncoveredCount / coverage.setCountOf(column)));
    for (let added = 0; added < needed && coverage.uncoveredCount > 0; added += 1) {
      if (coverage.rows.length + 1 >= options.tooManyRows) return false;
      coverage.addRow(rowOfUncovered(coverage, options));
    }
  }
}

/** Gives an open cell the level that covers the most tuples. */
function setBest(
  coverage: Coverage,
  row: number,
  column: number,
  { levels, rules, draw }: FillOptions,
): void {
  const cells = coverage.rows[row] ?? [];
  const cheapest = createCheapest<Move>(draw);
  for (let level = 0; level < (levels[column] ?? 1); level += 1) {
    if (!rules.allowsMove(cells, column, level)) continue;
    const move = { row, column, level };
    cheapest.offer(move, coverage.costOf(move));
  }
  if (cheapest.found !== undefined) coverage.make(cheapest.found);
}

/** Moves cells until all tuples are covered or there is no progress. Ends with the best state found. */
function moveCells(coverage: Coverage, options: FillOptions): void {
  const { draw, levels } = options;
  const placeOf = ({ row, column }: Move): number => row * levels.length + column;
  const tabuUntil: number[] = [];
  const undo: Move[] = [];
  let fewest = coverage.uncoveredCount;
  let fewestAt = { move: 0, effort: coverage.effort };
  for (let move = 0; fewest > 0; move += 1) {
    const movesInVain = move - fewestAt.move;
    const effortInVain = coverage.effort - fewestAt.effort;
    if (isEnough(coverage, fewest, movesInVain, effortInVain)) break;
    const best = cheapestMove(coverage, options, (candidate, cost) => {
      const isTabu = (tabuUntil[placeOf(candidate)] ?? 0) > move;
      return !isTabu || coverage.uncoveredCount + cost < fewest;
    });
    if (best === undefined) continue;
    undo.push({ ...best, level: coverage.levelOf(best.row, best.column) });
    coverage.make(best);
    tabuUntil[placeOf(best)] = move + TABU_TENURE.least + draw(TABU_TENURE.spread);
    if (coverage.uncoveredCount < fewest) {
      fewest = coverage.uncoveredCount;
      fewestAt = { move, effort: coverage.effort };
      undo.length = 0;
    }
  }
  for (const move of undo.reverse()) coverage.make(move);
}

function isEnough(coverage: Coverage, fewest: number, moves: number, effort: number): boolean {
  const cells = coverage.rows.length * coverage.columns;
  const isNearlyCovered = fewest <= FEW_UNCOVERED && coverage.effort < MAX_EFFORT;
  return (
    moves > MOVES_PER_CELL * cells ||
    (moves > MIN_MOVES && effort > (isNearlyCovered ? FEW_UNCOVERED_EFFORT : EFFORT))
  );
}

/** Among the moves that cover a random uncovered tuple, one that leaves the fewest uncovered. */
function cheapestMove(
  coverage: Coverage,
  { fixed, rules, draw }: FillOptions,
  isFree: (move: Move, cost: number) => boolean,
): Move | undefined {
  const tuple = coverage.uncoveredAt(draw(coverage.uncoveredCount));
  const cheapest = createCheapest<Move>(draw);
  for (const move of coverage.movesFor(tuple)) {
    const { row, column, level } = move;
    if (column < fixed || !rules.allowsMove(coverage.rows[row] ?? [], column, level)) continue;
    const cost = coverage.costOf(move);
    if (isFree(move, cost)) cheapest.offer(move, cost);
  }
  return cheapest.found;
}

/** Keeps the cheapest offer; among equally cheap ones it draws. */
interface Cheapest<Offer> {
  readonly found: Offer | undefined;
  offer(offer: Offer, cost: number): void;
}

function createCheapest<Offer>(draw: NextDraw): Cheapest<Offer> {
  let found: Offer | undefined;
  let least = Number.POSITIVE_INFINITY;
  let equals = 0;
  return {
    get found(): Offer | undefined {
      return found;
    },
    offer(offer, cost) {
      if (cost > least) return;
      equals = cost === least ? equals + 1 : 1;
      if (cost < least || draw(equals) === 0) found = offer;
      least = cost;
    },
  };
}

/** A row with as many compatible uncovered tuples as possible. The other cells of the columns in use are drawn. */
function rowOfUncovered(coverage: Coverage, { levels, rules, draw }: FillOptions): Row {
  const row: Row = levels.map(() => OPEN);
  const first = draw(coverage.uncoveredCount);
  for (let index = 0; index < coverage.uncoveredCount; index += 1) {
    const tuple = coverage.uncoveredAt((first + index) % coverage.uncoveredCount);
    if (tuple.some(({ column, level }) => row[column] !== OPEN && row[column] !== level)) continue;
    const opened = tuple.filter(({ column }) => row[column] === OPEN);
    for (const { column, level } of opened) row[column] = level;
    if (!rules.isExtendable(row)) for (const { column } of opened) row[column] = OPEN;
  }
  for (let column = 0; column < coverage.columns; column += 1) {
    if (row[column] === OPEN)
      row[column] = drawnLevel(row, column, levels[column] ?? 1, rules, draw);
  }
  return row;
}

/** A random level that the rules allow for an open cell. */
function drawnLevel(
  row: Row,
  column: number,
  levels: number,
  rules: Rules,
  draw: NextDraw,
): number {
  const first = draw(levels);
  const inOrder = Array.from({ length: levels }, (_, index) => (first + index) % levels);
  return inOrder.find((level) => rules.allowsMove(row, column, level)) ?? first;
}

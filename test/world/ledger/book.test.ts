/** A book through growth, copies and snapshots: what was written, which impressions may be repeated, and the sums of days. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { day } from "../../../src/base/calendar.ts";
import { DAY_MS } from "../../../src/base/duration.ts";
import {
  type BookState,
  clicksIn,
  copyOfBook,
  createBook,
  creditOf,
  findOriginal,
  forgetSessions,
  isClicked,
  lastDayOf,
  lifetimeTotals,
  recordClick,
  recordedMs,
  recordImpression,
  remember,
  surfaceIndexOf,
  totalsBetween,
} from "../../../src/world/ledger/book.ts";

const WINDOW_MS = 1000;
const STEP_MS = 7 * 3_600_000;

function momentOf(nowMs: number) {
  return { nowMs, today: day(Math.floor(nowMs / DAY_MS)) };
}

/** Records rows up to number `to`, and clicks every fifth of them. */
function fill(book: BookState, to: number): BookState {
  for (let row = book.count; row < to; row += 1) {
    const serial = recordImpression(book, row % 3, 100 + row, momentOf(row * STEP_MS));
    expect(serial).toBe(row);
    remember(book, `session ${row % 50}`, row);
    if (row % 5 === 0) recordClick(book, row, 7, momentOf(row * STEP_MS));
  }
  return book;
}

test("every row is there as it was written, and its day has it", () => {
  const book = fill(createBook(), 1000);
  for (let row = 0; row < 1000; row += 1) {
    expect(surfaceIndexOf(book, row)).toBe(row % 3);
    expect([creditOf(book, row), recordedMs(book, row)]).toEqual([100 + row, row * STEP_MS]);
    expect(isClicked(book, row)).toBe(row % 5 === 0);
  }
  const rows = Array.from({ length: 1000 }, (_, row) => row);
  const on = (row: number): number => Math.floor((row * STEP_MS) / DAY_MS);
  for (const [from, to] of [
    [0, 0],
    [3, 40],
    [-5, 2],
    [290, 999],
  ] as const) {
    const shown = rows.filter((row) => row % 3 === 1 && on(row) >= from && on(row) <= to);
    const clicked = shown.filter((row) => row % 5 === 0);
    const micros = shown.reduce((sum, row) => sum + 100 + row, 7 * clicked.length);
    const expected = { impressions: shown.length, clicks: clicked.length, micros };
    expect(totalsBetween(book, 1, day(from), day(to))).toEqual(expected);
  }
  expect(clicksIn(book)).toBe(200);
  expect(lastDayOf(book)).toBe(on(999));
  expect(lifetimeTotals(book).map(({ impressions }) => impressions)).toEqual([334, 333, 333]);
  expect([lastDayOf(createBook()), clicksIn(createBook())]).toEqual([undefined, 0]);
});

test.each([0, 1, 8, 9, 100])(
  "with %i rows a copy goes on as the book does, apart from it",
  (rows) => {
    const book = fill(createBook(), rows);
    const before = structuredClone(book);
    const copy = copyOfBook(book);
    fill(copy, 120);
    expect(book).toEqual(before);
    expect(copy).toEqual(fill(book, 120));
    expect([...copy.sessions]).toEqual([...book.sessions]);
  },
);

test("an impression is found for one window, whenever what has left it is forgotten", () => {
  const step = fc.record({
    session: fc.nat(40).map((number) => `${number}`),
    waitMs: fc.oneof(
      { weight: 1, arbitrary: fc.constantFrom(0, 1, 999, 1000, 1001) },
      { weight: 9, arbitrary: fc.nat(100) },
    ),
    forgets: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 150, size: "max" }), (steps) => {
      const book = createBook();
      const plain = new Map<string, number>();
      let nowMs = 0;
      for (const { session, waitMs, forgets } of steps) {
        nowMs += waitMs;
        if (forgets) forgetSessions(book, nowMs, WINDOW_MS);
        const known = plain.get(session);
        const alive = known !== undefined && nowMs - recordedMs(book, known) < WINDOW_MS;
        const found = findOriginal(book, session, nowMs, WINDOW_MS);
        expect(found).toBe(alive ? known : undefined);
        if (found !== undefined) continue;
        const serial = recordImpression(book, 0, 1, momentOf(nowMs));
        remember(book, session, serial);
        plain.set(session, serial);
      }
      forgetSessions(book, nowMs, WINDOW_MS);
      const left = [...book.sessions.values()];
      expect(left).toEqual(
        [...plain.values()]
          .filter((row) => nowMs - recordedMs(book, row) < WINDOW_MS)
          .sort((one, other) => one - other),
      );
    }),
    { seed: 1, numRuns: 300 },
  );
});

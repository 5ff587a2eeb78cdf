/** A copy of a book: the same figures, rows and memory, and no shared state. */

import { expect, test } from "vitest";
import { day } from "../../../src/base/calendar.ts";
import { Book } from "../../../src/world/ledger/book.ts";

const DAY_MS = 86_400_000;
/** More than one chunk of the columns, with the last one partly filled. */
const ROWS = 8200;

function remembered(serial: number): { a: number; b: number } {
  return { a: serial * 7, b: -serial };
}

/** Records on two surfaces, more than 49 days apart so that times are counted from two instants. */
function writtenBook(): Book {
  const book = new Book();
  record(book, ROWS, 0);
  record(book, 20, 60);
  return book;
}

function record(book: Book, count: number, today: number): void {
  const moment = { nowMs: today * DAY_MS, today: day(today) };
  for (let row = 0; row < count; row += 1) {
    book.findOriginalOrRemember(remembered(book.impressions.count), moment.nowMs, DAY_MS);
    const serial = book.recordImpression(row % 2, 100 + row, moment);
    if (row % 5 === 0) book.recordClick(serial, 7, moment);
  }
}

/** Changes every part of a book: new rows, clicks on old rows, figures of today and of a day 49 days later. */
function goOn(book: Book): void {
  const clicked = { nowMs: 60 * DAY_MS, today: day(60) };
  for (const serial of [1, ROWS - 1, ROWS + 1]) book.recordClick(serial, 9, clicked);
  record(book, 30, 60);
  record(book, 3, 120);
}

test("a copy saves the same as the book, and goes on like it", () => {
  const book = writtenBook();
  const copy = book.copy();
  expect(copy.save()).toEqual(book.save());
  expect(copy.impressions.recordedMs(ROWS)).toBe(60 * DAY_MS);
  expect(copy.findOriginalOrRemember(remembered(ROWS + 3), 60 * DAY_MS, DAY_MS)).toBe(ROWS + 3);
  goOn(book);
  goOn(copy);
  expect(copy.save()).toEqual(book.save());
});

test.each([
  ["the book", (book: Book, _copy: Book) => book],
  ["its copy", (_book: Book, copy: Book) => copy],
])("changes to %s don't reach the other", (_name, pick) => {
  const book = writtenBook();
  const copy = book.copy();
  const before = book.save();
  const written = pick(book, copy);
  goOn(written);
  expect((written === book ? copy : book).save()).toEqual(before);
});

test("an empty book can be copied too", () => {
  const copy = new Book().copy();
  expect(copy.save()).toEqual(new Book().save());
  record(copy, 1, 0);
  expect(copy.impressions.count).toBe(1);
});

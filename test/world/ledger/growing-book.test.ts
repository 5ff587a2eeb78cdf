/** A book grows in stretches. At each boundary no row is lost, and a copied or loaded book goes on as the original. */

import { expect, test } from "vitest";
import { day } from "../../../src/base/calendar.ts";
import { Book } from "../../../src/world/ledger/book.ts";

const MOST = 16_500;
/** Sizes around those of a stretch. */
const COUNTS = [0, 1, 15, 16, 17, 31, 32, 33, 4096, 8191, 8192, 8193, 16_383, 16_384, 16_385];
/** Times are counted from an instant for 2^32 ms, 49 days; these need several such instants. */
const STEP_MS = 2 ** 20;

function momentOf(row: number): { nowMs: number; today: ReturnType<typeof day> } {
  const nowMs = row * STEP_MS;
  return { nowMs, today: day(Math.floor(nowMs / 86_400_000)) };
}

function record(book: Book, from: number, to: number): void {
  for (let row = from; row < to; row += 1) {
    const serial = book.recordImpression(row % 3, microsOf(row), momentOf(row));
    if (serial !== row) throw new Error(`Row ${row} was given the serial ${serial}.`);
  }
}

function microsOf(row: number): number {
  return (row * 7919) % 1_000_003;
}

const whole = new Book();
record(whole, 0, MOST);

test("every row is there as it was written", () => {
  const { impressions } = whole;
  expect(impressions.count).toBe(MOST);
  for (let row = 0; row < MOST; row += 1) {
    const read = [impressions.surfaceIndex(row), impressions.micros(row)];
    expect([...read, impressions.recordedMs(row)]).toEqual([row % 3, microsOf(row), row * STEP_MS]);
  }
});

test.each(COUNTS)(
  "with %i rows a copy and a restored book continue as the original does",
  (count) => {
    const book = new Book();
    record(book, 0, count);
    const others = [book.copy(), Book.load(book.save())];
    const expected = whole.save();
    for (const one of [...others, book]) {
      record(one, count, MOST);
      expect(one.save()).toEqual(expected);
      expect(one.lastDay).toBe(whole.lastDay);
      expect(one.totals()).toEqual(whole.totals());
    }
  },
);

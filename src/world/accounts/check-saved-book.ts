/** Checks a book from a snapshot: its times must be in order, and its daily totals must match its rows. */

import type { Day } from "../../base/calendar.ts";
import { InputError } from "../../base/input.ts";
import type { Book, SavedBook } from "../ledger/book.ts";
import type { Account } from "./account.ts";

/** The time span of the world's events. */
interface Time {
  readonly startMs: number;
  readonly nowMs: number;
  readonly dayOf: (instantMs: number) => Day;
}

/** @throws InputError that names the invalid part of the book. */
export function checkSavedBook({ book, surfaces }: Account, saved: SavedBook, time: Time): void {
  if (saved.days.length > surfaces.length) {
    throw new InputError("days", "must not have more surfaces than the publisher");
  }
  const counted = countRows(book, time);
  const today = time.dayOf(time.nowMs);
  const firstDay = time.dayOf(time.startMs);
  for (const [surface, days] of saved.days.entries()) {
    let before = 0;
    for (const [index, [day, impressions]] of days.entries()) {
      const at = `days.${surface}.${index}`;
      if (day < firstDay || day > today) throw new InputError(at, "must be a day of this world");
      const rows = counted.get(surface * DAYS + day) ?? 0;
      if (impressions - before !== rows) throw new InputError(`${at}.1`, "doesn't match the rows");
      before = impressions;
    }
  }
  const { recent } = saved;
  if (recent === undefined) return;
  const { latest, current, previous } = recent;
  const follow = [0, previous.since, current.since, latest, time.nowMs];
  if (follow.some((instant, index) => instant < (follow[index - 1] ?? 0))) {
    throw new InputError("recent", "must have instants in order, none of them in the future");
  }
}

/** More than the number of days from the year 0 to 9999. */
const DAYS = 10_000_000;

/** How many impressions each surface has on each day. */
function countRows({ impressions }: Book, { startMs, nowMs, dayOf }: Time): Map<number, number> {
  const counted = new Map<number, number>();
  let beforeMs = startMs;
  for (let row = 0; row < impressions.count; row += 1) {
    const recordedMs = impressions.recordedMs(row);
    if (recordedMs < beforeMs || recordedMs > nowMs) {
      throw new InputError(
        "impressions.time",
        "must have instants in order, none of them in the future",
      );
    }
    beforeMs = recordedMs;
    const key = impressions.surfaceIndex(row) * DAYS + dayOf(recordedMs);
    counted.set(key, (counted.get(key) ?? 0) + 1);
  }
  return counted;
}

/** How a payout's status changes from day to day. */

import { describe, expect, test } from "vitest";
import { day } from "../../../src/base/calendar.ts";
import { micros } from "../../../src/base/money.ts";
import { payoutStatuses } from "../../../src/spec/responses.ts";
import { hasReference, payoutStatusReaders } from "../../../src/world/ledger/payout-lifecycles.ts";

const FIRST_DAY = 20_000;
const LAST_AGE = 400;

/** Each status of a payout of this kind, with the day from which it has it. */
function courseOf(month: number, publisher: number): string[] {
  const payout = { month, date: day(FIRST_DAY), amount: micros(1) };
  const changes: string[] = [];
  let before = "";
  for (let age = 0; age <= LAST_AGE; age += 1) {
    const status = payoutStatusReaders.extended(payout, publisher, day(FIRST_DAY + age));
    if (status !== before) changes.push(`${age} ${status}`);
    before = status;
  }
  return changes;
}

const ordinary = ["0 processing", "3 paid"];
const courses = [
  ordinary,
  ["0 processing", "3 on_hold", "40 processing", "42 paid"],
  ordinary,
  ["0 processing", "3 failed", "25 processing", "27 paid"],
  ["0 processing", "3 paid", "15 reversed"],
];

describe("a payout's course", () => {
  test.each(courses.map((course, kind) => [kind, course]))("of kind %i is %j", (kind, course) => {
    expect(courseOf(kind as number, 0)).toEqual(course);
    expect(courseOf(24_312 + (kind as number) - 2, 1_000_000)).toEqual(course);
  });

  test("depends on the month and the publisher together", () => {
    expect(courseOf(0, 4)).toEqual(courses[4]);
    expect(courseOf(4, 4)).toEqual(courses[3]);
  });

  test("includes every listed status", () => {
    const seen = new Set(courses.flat().map((change) => change.split(" ")[1]));
    expect([...seen].sort()).toEqual([...payoutStatuses].sort());
  });

  test("is paid from the first day if only the documented status occurs", () => {
    const payout = { month: 1, date: day(FIRST_DAY), amount: micros(1) };
    expect(payoutStatusReaders.documented(payout, 0, day(FIRST_DAY))).toBe("paid");
  });
});

test("every payment that was made has a reference, reversed or not", () => {
  expect(payoutStatuses.filter(hasReference)).toEqual(["paid", "reversed"]);
});

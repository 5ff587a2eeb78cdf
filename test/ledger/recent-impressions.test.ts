/** What is remembered for de-duplication, against a plain map, through growth, generations and saving. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fingerprint, showingOf, withoutAd } from "../../src/ledger/fingerprint.ts";
import { RecentImpressions } from "../../src/ledger/recent-impressions.ts";

const WINDOW_MS = 1000;
const key = { a: 1, b: 2 };
const print = (session: number) => fingerprint(key, 0, showingOf("ad", `session ${session}`));

/** Rows as a book has them: when each was recorded. */
function rowsAt(times: number[]) {
  return {
    get count(): number {
      return times.length;
    },
    recordedMs: (row: number): number => times[row] ?? Number.NaN,
  };
}

describe("remembering", () => {
  test("finds what is inside of the window, whatever was forgotten, saved or loaded since", () => {
    const step = fc.record({
      session: fc.nat(60),
      waitMs: fc.oneof(fc.constantFrom(0, 1, 999, 1000, 1001), fc.nat(50)),
      after: fc.constantFrom("nothing", "nothing", "nothing", "forget", "reload"),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 150 }), (steps) => {
        let recent = new RecentImpressions();
        const times: number[] = [];
        const rows = rowsAt(times);
        const plain = new Map<number, number>();
        let nowMs = 0;
        for (const { session, waitMs, after } of steps) {
          nowMs += waitMs;
          const known = plain.get(session);
          const alive = known !== undefined && nowMs - rows.recordedMs(known) < WINDOW_MS;
          const original = recent.claim(print(session), rows, nowMs, WINDOW_MS);
          expect(original).toBe(alive ? known : undefined);
          if (!alive) plain.set(session, times.push(nowMs) - 1);
          if (after === "forget") recent.forget(nowMs, WINDOW_MS);
          if (after === "reload") {
            recent = RecentImpressions.load(
              JSON.parse(JSON.stringify(recent.save() ?? null)) ?? undefined,
              rows.count,
            );
          }
        }
      }),
      { seed: 1, numRuns: 300 },
    );
  });

  test("keeps no more than the last windows", () => {
    const recent = new RecentImpressions();
    const times: number[] = [];
    for (let row = 0; row < 50_000; row += 1) {
      recent.claim(print(row), rowsAt(times), row * 10, WINDOW_MS);
      times.push(row * 10);
    }
    expect(JSON.stringify(recent.save()).length).toBeLessThan(20_000);
  });
});

test("fingerprints tell apart what differs in one part, or in where parts end", () => {
  const prints = [
    fingerprint(key, 0, showingOf("ad", "session")),
    fingerprint(key, 1, showingOf("ad", "session")),
    fingerprint(key, 0, showingOf("a", "dsession")),
    fingerprint(key, 0, showingOf("ads", "ession")),
    fingerprint(key, 0, showingOf("da", "session")),
    fingerprint(key, 0, showingOf("ad", "Session")),
    fingerprint(key, 0, showingOf("ad", "session ")),
    fingerprint(key, 0, withoutAd(showingOf("ad", "session"))),
    fingerprint({ a: 2, b: 1 }, 0, showingOf("ad", "session")),
  ];
  expect(new Set(prints.map(({ a, b }) => `${a} ${b}`)).size).toBe(prints.length);
  const many = Array.from({ length: 20_000 }, (_, index) => print(index));
  expect(new Set(many.map(({ a, b }) => `${a} ${b}`)).size).toBe(many.length);
});

test("a fingerprint is of an ad and a session, wherever in a text they stand", () => {
  const cut = fingerprint(key, 3, showingOf("ad", "session"));
  const text = "<session|ad>";
  const apart = { text, adFrom: 9, adTo: 11, sessionFrom: 1, sessionTo: 8 };
  expect(fingerprint(key, 3, apart)).toEqual(cut);
});

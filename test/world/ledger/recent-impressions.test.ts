/** The deduplication memory against a plain map, through growth, generations and snapshots. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { dedupInputOf, fingerprint } from "../../../src/world/ledger/fingerprint.ts";
import {
  RecentImpressions,
  type SavedGeneration,
} from "../../../src/world/ledger/recent-impressions.ts";

const WINDOW_MS = 1000;
const key = { a: 1, b: 2 };
const print = (session: number) => fingerprint(key, 0, dedupInputOf("ad", `session ${session}`));

/** The recording times of rows, as a book has them. */
function rowsAt(times: number[]) {
  return {
    get count(): number {
      return times.length;
    },
    recordedMs: (row: number): number => times[row] ?? Number.NaN,
  };
}

function entriesIn({ entries }: SavedGeneration): number {
  return Buffer.from(entries, "base64").length / 12;
}

describe("the memory of recent impressions", () => {
  test("finds everything inside the window, through forgetting, saving and loading", () => {
    const step = fc.record({
      session: fc.nat(40),
      waitMs: fc.oneof(
        { weight: 1, arbitrary: fc.constantFrom(0, 1, 999, 1000, 1001) },
        { weight: 9, arbitrary: fc.nat(100) },
      ),
      after: fc.constantFrom("nothing", "nothing", "nothing", "forget", "reload"),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 150, size: "max" }), (steps) => {
        let recent = new RecentImpressions();
        const times: number[] = [];
        const rows = rowsAt(times);
        const plain = new Map<number, number>();
        let nowMs = 0;
        for (const { session, waitMs, after } of steps) {
          nowMs += waitMs;
          const known = plain.get(session);
          const alive = known !== undefined && nowMs - rows.recordedMs(known) < WINDOW_MS;
          const before = JSON.stringify(recent.save());
          const original = recent.findOriginalOrRemember(print(session), rows, nowMs, WINDOW_MS);
          expect(original).toBe(alive ? known : undefined);
          // A duplicate leaves no trace.
          if (alive) expect(JSON.stringify(recent.save())).toBe(before);
          if (!alive) plain.set(session, times.push(nowMs) - 1);
          if (after === "forget") recent.forget(nowMs, WINDOW_MS);
          if (after === "reload") {
            recent = RecentImpressions.load(
              JSON.parse(JSON.stringify(recent.save() ?? null)) ?? undefined,
            );
          }
        }
      }),
      { seed: 1, numRuns: 300 },
    );
  });

  test("takes a repeat exactly one window later as new, and starts a generation with it", () => {
    const recent = new RecentImpressions();
    const rows = rowsAt([0, 500]);
    for (const [session, nowMs] of [
      [1, 0],
      [2, 500],
      [1, WINDOW_MS],
    ] as const) {
      expect(recent.findOriginalOrRemember(print(session), rows, nowMs, WINDOW_MS)).toBeUndefined();
    }
    const { current, previous } = recent.save() ?? expect.unreachable();
    expect([entriesIn(current), entriesIn(previous)]).toEqual([1, 2]);
  });

  test("tells fingerprints apart that differ in a single bit, and finds them all", () => {
    const recent = new RecentImpressions();
    const times: number[] = [];
    const prints = [
      { a: 5, b: 7 },
      ...Array.from({ length: 32 }, (_, bit) => ({ a: 5, b: 7 ^ (1 << bit) })),
      ...Array.from({ length: 32 }, (_, bit) => ({ a: 5 ^ (1 << bit), b: 7 })),
    ];
    for (const print of prints) {
      expect(recent.findOriginalOrRemember(print, rowsAt(times), 0, WINDOW_MS)).toBeUndefined();
      times.push(0);
    }
    const found = prints.map((print) =>
      recent.findOriginalOrRemember(print, rowsAt(times), 1, WINDOW_MS),
    );
    expect(found).toEqual([...prints.keys()]);
  });

  test("holds no more than the last windows: of 50,000 impressions it saves under 20,000 characters", () => {
    const recent = new RecentImpressions();
    const times: number[] = [];
    for (let row = 0; row < 50_000; row += 1) {
      recent.findOriginalOrRemember(print(row), rowsAt(times), row * 10, WINDOW_MS);
      times.push(row * 10);
    }
    expect(JSON.stringify(recent.save()).length).toBeLessThan(20_000);
  });
});

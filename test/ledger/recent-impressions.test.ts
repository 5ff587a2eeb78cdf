/** What is remembered for de-duplication, against a plain map, through growth, generations and saving. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fingerprint, RecentImpressions } from "../../src/ledger/recent-impressions.ts";

const WINDOW_MS = 1000;
const key = { a: 1, b: 2 };
const print = (session: number) => fingerprint(key, 0, "ad", `session ${session}`);

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
        const plain = new Map<number, { row: number; atMs: number }>();
        let nowMs = 0;
        for (const [row, { session, waitMs, after }] of steps.entries()) {
          nowMs += waitMs;
          const known = plain.get(session);
          const alive = known !== undefined && nowMs - known.atMs < WINDOW_MS;
          const found = recent.find(print(session));
          if (alive) expect(found).toBe(known.row);
          else expect(found === undefined || found === known?.row).toBe(true);
          if (!alive) {
            recent.remember(print(session), row, nowMs, WINDOW_MS);
            plain.set(session, { row, atMs: nowMs });
          }
          if (after === "forget") recent.forget(nowMs, WINDOW_MS);
          if (after === "reload") {
            recent = RecentImpressions.load(
              JSON.parse(JSON.stringify(recent.save() ?? null)) ?? undefined,
              row + 1,
            );
          }
        }
      }),
      { seed: 1, numRuns: 300 },
    );
  });

  test("keeps no more than the last windows", () => {
    const recent = new RecentImpressions();
    for (let row = 0; row < 50_000; row += 1) recent.remember(print(row), row, row * 10, WINDOW_MS);
    expect(JSON.stringify(recent.save()).length).toBeLessThan(20_000);
  });
});

test("fingerprints tell apart what differs in one part, or in where parts end", () => {
  const prints = [
    fingerprint(key, 0, "ad", "session"),
    fingerprint(key, 1, "ad", "session"),
    fingerprint(key, 0, "a", "dsession"),
    fingerprint(key, 0, "ads", "ession"),
    fingerprint(key, 0, "da", "session"),
    fingerprint(key, 0, "ad", "Session"),
    fingerprint(key, 0, "ad", "session "),
    fingerprint({ a: 2, b: 1 }, 0, "ad", "session"),
  ];
  expect(new Set(prints.map(({ a, b }) => `${a} ${b}`)).size).toBe(prints.length);
  const many = Array.from({ length: 20_000 }, (_, index) => print(index));
  expect(new Set(many.map(({ a, b }) => `${a} ${b}`)).size).toBe(many.length);
});

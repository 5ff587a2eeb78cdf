/** Fingerprints of an ad and a session. */

import { expect, test } from "vitest";
import { dedupInputOf, fingerprint, withoutAd } from "../../../src/world/ledger/fingerprint.ts";

const key = { a: 1, b: 2 };
const print = (session: number) => fingerprint(key, 0, dedupInputOf("ad", `session ${session}`));

test("fingerprints differ if one part differs, or if the parts are split differently", () => {
  const prints = [
    fingerprint(key, 0, dedupInputOf("ad", "session")),
    fingerprint(key, 1, dedupInputOf("ad", "session")),
    fingerprint(key, 0, dedupInputOf("a", "dsession")),
    fingerprint(key, 0, dedupInputOf("ads", "ession")),
    fingerprint(key, 0, dedupInputOf("da", "session")),
    fingerprint(key, 0, dedupInputOf("ad", "Session")),
    fingerprint(key, 0, dedupInputOf("ad", "session ")),
    fingerprint(key, 0, withoutAd(dedupInputOf("ad", "session"))),
    fingerprint({ a: 2, b: 1 }, 0, dedupInputOf("ad", "session")),
  ];
  expect(new Set(prints.map(({ a, b }) => `${a} ${b}`)).size).toBe(prints.length);
  const many = Array.from({ length: 20_000 }, (_, index) => print(index));
  expect(new Set(many.map(({ a, b }) => `${a} ${b}`)).size).toBe(many.length);
});

test("the two parts of an ad view aren't interchangeable", () => {
  expect(fingerprint(key, 0, dedupInputOf("a", "b"))).not.toEqual(
    fingerprint(key, 0, dedupInputOf("b", "a")),
  );
});

test("all 64 bits depend on the ad and on the session: 300,000 of each have different fingerprints", () => {
  // With half of the bits, about ten pairs would collide.
  const many = Array.from({ length: 300_000 }, (_, index) => `-${index}`);
  for (const showings of [
    many.map((text) => dedupInputOf(text, "session")),
    many.map((text) => dedupInputOf("ad", text)),
  ]) {
    const prints = showings.map((dedupInput) => fingerprint(key, 0, dedupInput));
    const different = new Set(prints.map(({ a, b }) => a * 0x1_0000_0000 + (b >>> 0)));
    expect(different.size).toBeGreaterThan(many.length - 3);
  }
});

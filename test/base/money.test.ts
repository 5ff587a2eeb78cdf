/** Amounts as text: exact, plain, and as short as they can be. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { formatInr, inWholePaise } from "../../src/base/money.ts";

const LARGEST = 2 ** 33 * 1_000_000 - 1;
const amounts = fc.oneof(
  fc.nat(LARGEST),
  fc.nat(1_999_999),
  fc.constantFrom(0, 1, 10, 100_000, 999_999, 1_000_000, 1_000_001, LARGEST),
  // Half a paisa, and a micro beside it.
  fc.tuple(fc.nat(1_000_000), fc.integer({ min: -1, max: 1 })).map(([paise, beside]) => {
    return Math.max(0, paise * 10_000 + 5000 + beside);
  }),
);

function microsIn(text: string): bigint {
  const [whole = "", fraction = ""] = text.split(".");
  return BigInt(whole) * 1_000_000n + BigInt(fraction.padEnd(6, "0"));
}

test("the text of any amount below 2^33 INR reads back as the same micros and is the shortest plain decimal", () => {
  fc.assert(
    fc.property(amounts, (micros) => {
      const text = formatInr(micros);
      expect(microsIn(text)).toBe(BigInt(micros));
      expect(text).toMatch(/^(?:0|[1-9]\d*)(?:\.\d{0,5}[1-9])?$/);
    }),
    { seed: 1, numRuns: 2000 },
  );
});

test("in whole paise an amount is the nearest one, and half a paisa is rounded up", () => {
  fc.assert(
    fc.property(amounts, (micros) => {
      const text = formatInr(inWholePaise(micros));
      expect(text).toMatch(/^(?:0|[1-9]\d*)(?:\.\d?[1-9])?$/);
      const above = microsIn(text) - BigInt(micros);
      expect(above > -5_000n && above <= 5_000n).toBe(true);
    }),
    { seed: 1, numRuns: 2000 },
  );
});

/** Amounts as text: exact, plain, and as short as they can be. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { formatInr, inWholePaise } from "../../src/base/money.ts";

test.each([
  [0, "0"],
  [1, "0.000001"],
  [10, "0.00001"],
  [100_000, "0.1"],
  [120_300, "0.1203"],
  [999_999, "0.999999"],
  [1_000_000, "1"],
  [1_000_001, "1.000001"],
  [1_005_000, "1.005"],
  [20_000_000, "20"],
  [123_456_789_012, "123456.789012"],
  [8_589_934_591_999_999, "8589934591.999999"],
])("%i micros are %s INR", (micros, text) => {
  expect(formatInr(micros)).toBe(text);
});

test("the text of any amount below 2^33 INR reads back as the same micros and is the shortest plain decimal", () => {
  fc.assert(
    fc.property(fc.oneof(fc.nat(2 ** 33 * 1_000_000 - 1), fc.nat(1_999_999)), (micros) => {
      const text = formatInr(micros);
      const [whole = "", fraction = ""] = text.split(".");
      expect(BigInt(whole) * 1_000_000n + BigInt(fraction.padEnd(6, "0"))).toBe(BigInt(micros));
      expect(text).toMatch(/^(?:0|[1-9]\d*)(?:\.\d{0,5}[1-9])?$/);
    }),
    { seed: 1, numRuns: 2000 },
  );
});

test.each([
  [0, "0"],
  [4_999, "0"],
  [5_000, "0.01"],
  [14_999, "0.01"],
  [15_000, "0.02"],
  [100_000, "0.1"],
  [994_999, "0.99"],
  [995_000, "1"],
  [1_005_000, "1.01"],
  [20_000_000, "20"],
  [123_456_789_012, "123456.79"],
])("%i micros are %s INR in whole paise, with half a paisa rounded up", (micros, text) => {
  expect(formatInr(inWholePaise(micros))).toBe(text);
});

test("rounding to paise changes an amount by at most half a paisa", () => {
  fc.assert(
    fc.property(fc.nat(2 ** 50), (micros) => {
      const text = formatInr(inWholePaise(micros));
      expect(text).toMatch(/^(?:0|[1-9]\d*)(?:\.\d?[1-9])?$/);
      const [whole = "", fraction = ""] = text.split(".");
      const written = BigInt(whole) * 1_000_000n + BigInt(fraction.padEnd(6, "0"));
      const above = written - BigInt(micros);
      expect(above > -5_000n && above <= 5_000n).toBe(true);
    }),
    { seed: 1, numRuns: 2000 },
  );
});

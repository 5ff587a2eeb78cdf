/** Whole numbers as decimal text. Small ones are cached: V8's own conversion is slow for numbers that it hasn't just seen. */

/** Covers nearly every body length and every remaining quota (spec §8). */
const CACHED_BELOW = 10_000;
// Filled on first use. Worlds can share it: it holds no state of theirs.
const cached: string[] = new Array<string>(CACHED_BELOW);

const padded: readonly string[] = Array.from({ length: 1000 }, (_, value) =>
  String(value).padStart(3, "0"),
);

/** The text of a whole number from 0 to 2^53. */
export function decimal(value: number): string {
  if (value < CACHED_BELOW) {
    cached[value] ??= String(value);
    return cached[value];
  }
  if (value < 1_000_000) {
    const thousands = (value / 1000) | 0;
    return decimal(thousands) + threeDigits(value - thousands * 1000);
  }
  const millions = Math.floor(value / 1_000_000);
  return decimal(millions) + sixDigits(value - millions * 1_000_000);
}

/** A whole number below 1000 with leading zeros. */
export function threeDigits(value: number): string {
  return padded[value] ?? "";
}

/** A whole number below 1,000,000 with leading zeros. */
function sixDigits(value: number): string {
  const thousands = (value / 1000) | 0;
  return threeDigits(thousands) + threeDigits(value - thousands * 1000);
}

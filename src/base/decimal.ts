/** Natural numbers as decimal text, without `String`, which leaves the fast path for what it hasn't just seen. */

/** Lengths of bodies and what is left of a limit (spec §8) have up to four digits. Each is made when it is first asked for. */
const KEPT = 10_000;
const kept: string[] = new Array<string>(KEPT);

const padded: readonly string[] = Array.from({ length: 1000 }, (_, value) =>
  String(value).padStart(3, "0"),
);

/** The text of a whole number from 0 to 2^53. */
export function decimal(value: number): string {
  if (value < KEPT) {
    kept[value] ??= String(value);
    return kept[value];
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

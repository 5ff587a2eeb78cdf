/** Natural numbers as decimal text, three digits at a time: `String` leaves the fast path for what it hasn't just seen. */

const plain: readonly string[] = Array.from({ length: 1000 }, (_, value) => String(value));
const padded: readonly string[] = plain.map((text) => text.padStart(3, "0"));

/** The text of a whole number from 0 to 2^53. */
export function decimal(value: number): string {
  if (value < 1000) return plain[value] ?? String(value);
  if (value < 1_000_000) {
    const thousands = (value / 1000) | 0;
    return plain[thousands] + threeDigits(value - thousands * 1000);
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

/** Whole numbers as decimal text. */

export function decimal(value: number): string {
  return String(value);
}

/** Checks options. Error messages never repeat a value: it may be an API key. */

/** @throws TypeError */
export function assertOption(holds: boolean, option: string, expected: string): asserts holds {
  if (!holds) throw new TypeError(`adsim/client: ${option} must be ${expected}.`);
}

/** @throws TypeError unless `value` is a whole number from 1 to `most`. */
export function wholeNumber(value: number, option: string, most: number): void {
  assertOption(
    Number.isSafeInteger(value) && value >= 1 && value <= most,
    option,
    `a whole number from 1 to ${most}`,
  );
}

/** Describes what `isText` accepts. */
export const TEXT = "a non-empty string";

export function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** What is wrong with an option, said where it is given. A value isn't repeated: it may be a key. */

/** @throws TypeError */
export function assertOption(holds: boolean, option: string, expected: string): asserts holds {
  if (!holds) throw new TypeError(`adsim/client: ${option} must be ${expected}.`);
}

/** @throws TypeError unless it is a whole number from 1 to `most`. */
export function wholeNumber(value: number, option: string, most: number): void {
  assertOption(
    Number.isSafeInteger(value) && value >= 1 && value <= most,
    option,
    `a whole number from 1 to ${most}`,
  );
}

/** What `isText` asks for. */
export const TEXT = "a text that isn't empty";

export function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

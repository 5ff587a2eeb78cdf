/** The oracle's errors: they say what was expected and what came instead. */

/** @throws Error unless both are the same as JSON. */
export function expectEqual(what: string, actual: unknown, expected: unknown): void {
  if (actual === expected) return;
  const [is, ought] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (is !== ought) throw new Error(`Expected ${what} to be ${ought}, got ${is}.`);
}

/** @throws Error that says what was expected, unless it `isTrue`. */
export function expected(what: string, isTrue: boolean, got: unknown): asserts isTrue {
  if (!isTrue) throw new Error(`Expected ${what}, got ${JSON.stringify(got)}.`);
}

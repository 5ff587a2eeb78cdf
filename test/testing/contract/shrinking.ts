/** Looking for the shortest sequence takes longer than finding one that breaks a rule: it is looked for in `.ci/run` only. */

import fc from "fast-check";
import { afterAll, beforeAll, expect } from "vitest";
import { isThorough } from "../../budget.ts";

/** For all tests of the file that calls it. */
export function shrinkOnlyIfWhole(): void {
  beforeAll(() => fc.configureGlobal({ endOnFailure: !isThorough }));
  afterAll(() => fc.resetConfigureGlobal());
}

/** Tries something without looking for its shortest sequence, where a long one says as much. */
export async function unshrunk<Result>(attempt: () => Promise<Result>): Promise<Result> {
  const before = fc.readConfigureGlobal();
  fc.configureGlobal({ ...before, endOnFailure: true });
  try {
    return await attempt();
  } finally {
    fc.configureGlobal(before);
  }
}

export function expectShort({ length }: readonly unknown[], most: number): void {
  if (isThorough) expect(length).toBeLessThanOrEqual(most);
}

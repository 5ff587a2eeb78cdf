/** Catches what an assertion throws: a failure, or a refusal of its input. */

import { AssertionError } from "../../src/assert.ts";
import { InputError } from "../../src/index.ts";

/** What a failed assertion says. */
export function failureOf(assertion: () => void): AssertionError {
  const error = thrownBy(assertion);
  if (error instanceof AssertionError) return error;
  throw error ?? new Error("It holds.");
}

/** What is wrong with the input. */
export function refusalOf(assertion: () => void): string {
  const error = thrownBy(assertion);
  if (error instanceof InputError) return error.message;
  throw error ?? new Error("It holds.");
}

function thrownBy(assertion: () => void): unknown {
  try {
    assertion();
  } catch (error) {
    return error;
  }
  return undefined;
}

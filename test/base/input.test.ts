/** Errors for wrong input say where it is and what is expected there. */

import { expect, test } from "vitest";
import { createSimulator, InputError } from "../../src/index.ts";

test.each([
  [{ seed: 5 }, "seed must be a string, not 5."],
  [{ seed: [] }, "seed must be a string, not a list."],
  [{ publishers: "7 of them" }, "publishers must be a whole number from 1 to 1000000."],
  [{ publishers: {} }, "publishers must be a whole number from 1 to 1000000."],
  [{ profile: "huge" }, 'profile must be one of "typical", "tiny", "adversarial", not "huge".'],
  [{ colour: "red" }, "colour is not known here."],
])("options %j are refused with: %s", (options, message) => {
  // Wrong on purpose: JavaScript callers can pass what the types rule out.
  const wrong = options as Parameters<typeof createSimulator>[0];
  expect(() => createSimulator(wrong)).toThrow(InputError);
  expect(() => createSimulator(wrong)).toThrow(message);
});

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
  [{ wallClock: 5 }, "wallClock must be a function that returns milliseconds since 1970"],
  [{ assumptions: { "dedup.repaet": "count" } }, "assumptions.dedup.repaet is not an assumption."],
  [{ assumptions: { "errors.invalid": "404" } }, 'assumptions.errors.invalid has no choice "404".'],
])("options %j are refused with: %s", (options, message) => {
  // Wrong on purpose: JavaScript callers can pass what the types rule out.
  const wrong = options as Parameters<typeof createSimulator>[0];
  expect(() => createSimulator(wrong)).toThrow(InputError);
  expect(() => createSimulator(wrong)).toThrow(message);
});

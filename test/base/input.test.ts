/** Errors for wrong input say where it is and what is expected there, and never echo what may be a key. */

import { expect, test } from "vitest";
import { createSimulator, InputError } from "../../src/index.ts";

const KEY = "key_0qs9bvzarvbdc";
const TOKEN = "s3cret-t0ken";

test.each([
  [{ seed: 5 }, "seed must be a string, not 5."],
  [{ seed: [] }, "seed must be a string, not a list."],
  [{ publishers: "7 of them" }, "publishers must be a number."],
  [{ publishers: {} }, "publishers must be a number, not an object."],
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

test.each([KEY, TOKEN])("no message or field echoes %s", (secret) => {
  const wrong = [
    { [secret]: 1 },
    { clock: secret },
    { publishers: secret },
    { assumptions: { [secret]: "x" } },
    { assumptions: { "dedup.repeat": secret } },
  ];
  for (const options of wrong) {
    const { field, message } = refusalOf(options);
    expect(field).not.toBe("");
    expect(`${field} ${message}`).not.toContain(secret);
  }
  const { clock } = createSimulator();
  expect(() => clock.advance(secret)).toThrow(/"90s"/);
  expect(() => clock.advance(secret)).not.toThrow(secret);
  expect(() => clock.advance("90 secs")).toThrow('not "90 secs"');
});

function refusalOf(options: object): InputError {
  try {
    createSimulator(options);
  } catch (error) {
    if (error instanceof InputError) return error;
    throw error;
  }
  throw new Error("The options were taken.");
}

/** What must not compile: `npm run types` fails if an expected error is missing. */

import { expect, test } from "vitest";
import { type Choice, type Choices, createSimulator, InputError } from "../../../src/index.ts";

const right: Choices = { "dedup.repeat": "conflict", "errors.invalid": "422" };
const choice: Choice<"limit.exceeded"> = "503";

test("a wrong key or choice doesn't compile, and is refused at run time", () => {
  const sim = createSimulator({ assumptions: right });
  expect(sim.assume({ "limit.exceeded": choice })["limit.exceeded"]).toBe("503");

  // @ts-expect-error: no such key
  expect(() => createSimulator({ assumptions: { "dedup.repat": "conflict" } })).toThrow(InputError);
  // @ts-expect-error: no such choice
  expect(() => createSimulator({ assumptions: { "dedup.repeat": "conflct" } })).toThrow(InputError);
  // @ts-expect-error: another key's choice
  expect(() => sim.assume({ "dedup.repeat": "422" })).toThrow(InputError);
  // @ts-expect-error: a status is a name here, not a number
  expect(() => sim.assume({ "errors.invalid": 422 })).toThrow(InputError);
  expect(() => {
    // @ts-expect-error: only `assume` changes the assumptions in force
    sim.assumptions = { ...sim.assumptions };
  }).toThrow(TypeError);
});

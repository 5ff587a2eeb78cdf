/** What must not compile: `npm run types` fails where one of the expected errors doesn't come. */

import { expect, test } from "vitest";
import { type Choice, createSimulator, InputError, type Readings } from "../../../src/index.ts";

const right: Readings = { "dedup.repeat": "conflict", "errors.invalid": "422" };
const choice: Choice<"limit.exceeded"> = "503";

test("keys and choices are types; what slips past the compiler is refused at run time", () => {
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
    // @ts-expect-error: the readings in force are changed by `assume` alone
    sim.assumptions = { ...sim.assumptions };
  }).toThrow(TypeError);
});

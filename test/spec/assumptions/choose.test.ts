/** Choosing assumptions: defaults fill in what isn't chosen, and an error suggests the nearest valid name. */

import { describe, expect, test } from "vitest";
import { type Choice, type Choices, createSimulator, InputError } from "../../../src/index.ts";
import { type Assumption, catalogue } from "../../../src/spec/assumptions/catalogue.ts";

const byDefault = Object.fromEntries(
  Object.entries<Assumption>(catalogue).map(([key, point]) => [key, point.default]),
);

test("a key that isn't chosen, or is undefined, has its default, which is one of its choices", () => {
  const assumptions: Choices = { "date.timezone": "ist", "dedup.repeat": undefined };
  const chosen = { ...byDefault, "date.timezone": "ist" };
  expect(createSimulator({ assumptions }).assumptions).toEqual(chosen);
  for (const [key, { choices }] of Object.entries<Assumption>(catalogue))
    expect(Object.keys(choices), key).toContain(byDefault[key]);
});

describe("a mistake is refused with an error that names the field, and changes nothing", () => {
  const unknown = /^assumptions\..* is not an assumption\. See: npx adsim assumptions\.$/;
  const wrong: readonly (readonly [choices: unknown, field: string, message: string | RegExp])[] = [
    [{ "dedup.repeats": "x" }, "assumptions.dedup.repeats", 'Did you mean "dedup.repeat"?'],
    [{ "date.timezome": "x" }, "assumptions.date.timezome", 'Did you mean "date.timezone"?'],
    [{ foo: "x" }, "assumptions.foo", unknown],
    [{ "": "x" }, "assumptions.", unknown],
    [JSON.parse('{"constructor":"x"}'), "assumptions.constructor", unknown],
    [JSON.parse('{"__proto__":"x","dedup.repeat":"count"}'), "assumptions.__proto__", unknown],
    [{ "date.timezone": "IST" }, "assumptions.date.timezone", 'Did you mean "ist"? Choose one of'],
    [{ "dedup.repeat": "conflicts" }, "assumptions.dedup.repeat", 'Did you mean "conflict"?'],
    [{ "auth.key-scope": "publisher hidden" }, "assumptions.auth.key-scope", '"publisher-hidden"?'],
    [
      { "date.timezone": "gmt" },
      "assumptions.date.timezone",
      'no choice "gmt". Choose one of: utc,',
    ],
    [{ "date.timezone": "toString" }, "assumptions.date.timezone", "Choose one of: utc, ist."],
    [{ "date.timezone": ["ist"] }, "assumptions.date.timezone", "must be a string, not a list. Ch"],
    [{ "limit.exceeded": "500" }, "assumptions.limit.exceeded", '"500". Choose one of: 403, 429,'],
    [{ "limit.exceeded": 429 }, "assumptions.limit.exceeded", "must be a string, not 429."],
    ["dedup.repeat", "", "must be an object"],
    [null, "", "must be an object"],
    [[], "", "must be an object"],
    [new Map([["dedup.repeat", "conflict"]]), "", "must be an object"],
  ];

  test.each(wrong)("%j", (choices, field, message) => {
    const sim = createSimulator();
    const before = sim.assumptions;
    const assumptions = choices as Choices;
    for (const attempt of [() => sim.assume(assumptions), () => createSimulator({ assumptions })]) {
      expect(attempt).toThrow(InputError);
      expect(attempt).toThrow(message);
    }
    expect(() => sim.assume(assumptions)).toThrow(expect.objectContaining({ field }));
    expect(sim.assumptions).toBe(before);
  });
});

test("a wrong key or choice doesn't compile, and is refused at run time", () => {
  const choice: Choice<"limit.exceeded"> = "503";
  const sim = createSimulator();
  expect(sim.assume({ "limit.exceeded": choice })["limit.exceeded"]).toBe("503");
  // `npm run types` fails if one of these errors is missing.
  // @ts-expect-error: no such key
  expect(() => createSimulator({ assumptions: { "dedup.repat": "conflict" } })).toThrow(InputError);
  // @ts-expect-error: another key's choice
  expect(() => sim.assume({ "dedup.repeat": "422" })).toThrow(InputError);
  // @ts-expect-error: a status is a name here, not a number
  expect(() => sim.assume({ "errors.invalid": 422 })).toThrow(InputError);
  expect(() => {
    // @ts-expect-error: only `assume` changes the assumptions in force
    sim.assumptions = { ...sim.assumptions };
  }).toThrow(TypeError);
});

import { expect, test } from "vitest";
import { InputError } from "../../../src/base/input.ts";
import { parseScenario } from "../../../src/play/scenario/parse-scenario.ts";
import { parseScenarioText } from "../../../src/play/scenario/parse-text.ts";
import { of } from "./everything.ts";

const request = (more: object): unknown => of({ impression: {}, ...more });

function deep(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

function circle(): unknown {
  const step: Record<string, unknown> = { impression: {} };
  step.expect = { body: { again: step } };
  return of(step);
}

class Thing {
  readonly name = "thing";
}
test.each<[name: string, field: string, says: RegExp, input: unknown]>([
  [
    "10,000 levels",
    "steps.0.expect.body.a.0.a.0.a.0.a.0…",
    /deeper than 100/,
    request({ expect: { body: deep(10_000) } }),
  ],
  ["a circle", `steps.0.${"expect.body.again.".repeat(3)}expect…`, /deeper than 100/, circle()],
  [
    "10,001 steps",
    "steps.10000",
    /may have at most 10000/,
    of(...new Array(10_001).fill({ advance: 1 })),
  ],
  ["NaN", "steps.0.timeout", /that JSON can hold, not NaN/, request({ timeout: Number.NaN })],
  [
    "infinity",
    "steps.0.timeout",
    /that JSON can hold, not Infinity/,
    request({ timeout: Number.POSITIVE_INFINITY }),
  ],
  [
    "a huge number",
    "steps.0.repeat.times",
    /whole number, 1 or more/,
    of({ repeat: { times: 1e300, steps: [{ advance: 1 }] } }),
  ],
  ["a list with gaps", "steps.0", /JSON can hold, not undefined/, { ...of(), steps: new Array(3) }],
  ["a Map", "steps", /data that JSON can hold/, { ...of(), steps: new Map() }],
  ["a Date", "steps.0.advance", /data that JSON can hold/, of({ advance: new Date(0) })],
  [
    "an object of a class",
    "steps.0.impression",
    /data that JSON can hold/,
    of({ impression: new Thing() }),
  ],
  ["a function", "steps.0.note", /JSON can hold, not a function/, request({ note: () => "x" })],
  ["a bigint", "steps.0.timeout", /JSON can hold, not 1/, request({ timeout: 1n })],
  ["a lone surrogate", "steps.0.note", /must be a text/, request({ note: "\ud800" })],
  [
    "10⁹ events",
    "steps.0",
    /to 1,000,000,000 requests/,
    of({ traffic: { for: "1d", arrivals: { kind: "burst", count: 100_000_000, every: "144m" } } }),
  ],
  [
    "10⁶ × 10⁶ × 10⁶ requests",
    "steps.0",
    /brings the scenario to/,
    of({
      repeat: {
        times: 1e6,
        steps: [
          {
            repeat: {
              times: 1e6,
              steps: [{ repeat: { times: 1e6, steps: [{ impression: {} }] } }],
            },
          },
        ],
      },
    }),
  ],
])("%s: refused at %s", (_, field, says, input) => {
  let error: unknown;
  try {
    parseScenario(input);
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toBeInstanceOf(InputError);
  expect(error).toMatchObject({ field, message: expect.stringMatching(says) });
});

test.each<[text: string, field: string, says: RegExp]>([
  ["", "scenario", /is not valid JSON: Unexpected end/],
  ['{"name": "a" "about"}', "scenario", /is not valid JSON: Expected ',' or '}'.* position 13/],
  [`{"name": ${"x".repeat(1000)}`, "scenario", /^.{50,200}$/],
  ['{"name": "a"}', "about", /is required/],
])("the text %j is refused", (text, field, says) => {
  expect(() => parseScenarioText(text)).toThrow(InputError);
  try {
    parseScenarioText(text);
  } catch (error) {
    expect(error).toMatchObject({ field, message: expect.stringMatching(says) });
  }
});

test("a text of more than 4 MB isn't parsed", () => {
  expect(() => parseScenarioText(" ".repeat(4 * 1024 * 1024 + 1))).toThrow(/at most 4194304/);
  expect(() => parseScenarioText("[".repeat(1_000_000))).toThrow(InputError);
});

test("a scenario as text parses to the same as an object", () => {
  const scenario = of({ impression: { ad_id: 'a"\\\u00e9\n' } });
  expect(parseScenarioText(JSON.stringify(scenario, undefined, 2))).toEqual(scenario);
  expect(parseScenarioText(`\uFEFF${JSON.stringify(scenario)}`)).toEqual(scenario);
});

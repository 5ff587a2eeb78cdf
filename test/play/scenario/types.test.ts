/** What must not compile: `npm run types` fails if one of the expected errors doesn't come. References are checked at load. */

import { expect, test } from "vitest";
import { InputError } from "../../../src/index.ts";
import { defineScenario, type Scenario, type Step } from "../../../src/scenario.ts";

const base = { name: "typed", about: "For the compiler." } as const;

test("a wrong reference is refused when the scenario is made", () => {
  const some: readonly Step[] = [{ impression: {}, as: "first" }];
  const click: Step = { click: { impression_id: { ref: "frist.impression_id" } } };
  expect(defineScenario({ ...base, steps: some }).steps).toHaveLength(1);
  expect(() => defineScenario({ ...base, steps: [...some, click] })).toThrow(
    /Did you mean "first"/,
  );
});

test("a wrong shape doesn't compile, and is refused at run time too", () => {
  const first = { impression: {}, as: "first" } as const;
  const refused = (make: () => Scenario): void => {
    expect(make).toThrow(InputError);
  };
  // @ts-expect-error: no such step
  refused(() => defineScenario({ ...base, steps: [{ impresion: {} }] }));
  // @ts-expect-error: no such parameter
  refused(() => defineScenario({ ...base, steps: [{ impression: { adid: "x" } }] }));
  // @ts-expect-error: no such member of a step
  refused(() => defineScenario({ ...base, steps: [{ impression: {}, az: "x" }] }));
  // @ts-expect-error: nor of an expectation
  refused(() => defineScenario({ ...base, steps: [{ impression: {}, expect: { statsu: 200 } }] }));
  // @ts-expect-error: nor of a scenario
  refused(() => defineScenario({ ...base, seeds: "x", steps: [first] }));
});

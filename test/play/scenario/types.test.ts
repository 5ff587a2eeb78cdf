/** What must not compile: `npm run types` fails if one of the expected errors doesn't come. References are checked at load. */

import * as v from "valibot";
import { expect, test } from "vitest";
import { InputError } from "../../../src/index.ts";
import { exactObject } from "../../../src/play/scenario/schema-parts.ts";
import { defineScenario, type Scenario, type Step } from "../../../src/scenario.ts";

const base = { name: "typed", about: "For the compiler." } as const;

test("every kind of valid reference compiles", () => {
  const scenario: Scenario = defineScenario({
    ...base,
    publishers: 3,
    steps: [
      { signUp: { name: "Acme" }, as: "acme" },
      {
        impression: { surface: { ref: "acme.surfaces.0.id" } },
        as: "first",
        publisher: "acme",
        expect: { status: 200, body: { ok: true, impression_id: { type: "string" } } },
      },
      { click: { impression_id: { ref: "first.impression_id" } }, as: "click" },
      { fault: { id: "x", match: { publisher: "pub_1" }, verdict: { kind: "drop" } } },
      {
        repeat: {
          times: 2,
          steps: [
            { impression: { session_id: { numbered: "s" } }, as: "inner" },
            {
              stats: {},
              expect: {
                body: { revenue_inr: { sum: [{ ref: "inner.revenue_credited_inr" }, 3] } },
              },
            },
          ],
        },
        as: "rounds",
        expect: { sent: 4 },
      },
      {
        parallel: {
          steps: [{ impression: {}, as: "twin" }, { raw: { method: "GET", path: "/" } }],
        },
      },
      { advance: { retryAfterOf: "twin", more: "1s" } },
      {
        traffic: {
          for: "1m",
          arrivals: { kind: "constant", rate: "1/s" },
          publishers: [0, "acme"],
        },
        as: "minute",
      },
      { rotateKey: { publisher: "acme" }, as: "rotated" },
      {
        stats: {},
        key: { ref: "rotated.oldKey" },
        headers: { "x-a": { header: "date", of: "inner" } },
      },
      { expect: { answer: "click", status: { oneOf: [200, 409] } } },
      { expect: { of: "minute.operations.impression.sent", is: { ref: "rounds.statuses.200" } } },
    ],
    expectations: [
      { stats: { publisher_id: { ref: "publishers.2.id" } }, publisher: "acme", is: {} },
      { audit: { balanced: { not: { absent: true } } } },
      { invariant: "all" },
    ],
  });
  expect(scenario.steps).toHaveLength(12);
  expect(Object.isFrozen(scenario.steps)).toBe(true);
});

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

test("exactObject compiles only with each member of the type, of its own type, and no other", () => {
  interface Named {
    readonly name: string;
    readonly times?: number | undefined;
  }
  const name = v.string();
  const times = v.optional(v.number());
  const made = [
    exactObject<Named>({ name, times }),
    // @ts-expect-error: one is missing
    exactObject<Named>({ name }),
    // @ts-expect-error: one is too many
    exactObject<Named>({ name, times, more: times }),
    // @ts-expect-error: one is of another type
    exactObject<Named>({ name: v.number(), times }),
    // @ts-expect-error: one may be left out by its type alone
    exactObject<Named>({ name, times: v.number() }),
    // @ts-expect-error: one may be left out by its schema alone
    exactObject<Named>({ name: v.optional(name), times }),
  ];
  expect(made).toHaveLength(6);
});

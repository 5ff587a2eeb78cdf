/** What must not compile: `npm run types` fails if one of the expected errors doesn't come. */

import * as v from "valibot";
import { expect, test } from "vitest";
import { InputError } from "../../../src/index.ts";
import { exactObject } from "../../../src/play/language/parse/schema-parts.ts";
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

test("steps whose types are too general are checked when the scenario is made", () => {
  const some: readonly Step[] = [{ impression: {}, as: "first" }];
  const click: Step = { click: { impression_id: { ref: "frist.impression_id" } } };
  expect(defineScenario({ ...base, steps: some }).steps).toHaveLength(1);
  expect(() => defineScenario({ ...base, steps: [...some, click] })).toThrow(
    /Did you mean "first"/,
  );
  const whole: Scenario = { ...base, steps: some };
  expect(defineScenario(whole)).toEqual(whole);
});

test("wrong references don't compile, and are refused at run time too", () => {
  const first = { impression: {}, as: "first" } as const;
  const refused = (make: () => Scenario): void => {
    expect(make).toThrow(InputError);
  };
  refused(() =>
    defineScenario({
      ...base,
      // @ts-expect-error: no such name
      steps: [first, { click: { impression_id: { ref: "frist.impression_id" } } }],
    }),
  );
  refused(() =>
    defineScenario({
      ...base,
      // @ts-expect-error: no such member
      steps: [first, { click: { impression_id: { ref: "first.click_id" } } }],
    }),
  );
  refused(() =>
    defineScenario({
      ...base,
      // @ts-expect-error: it comes later
      steps: [{ click: { impression_id: { ref: "first.impression_id" } } }, first],
    }),
  );
  refused(() =>
    defineScenario({
      ...base,
      steps: [
        {
          parallel: {
            // @ts-expect-error: it is sent at the same time
            steps: [first, { click: { impression_id: { ref: "first.impression_id" } } }],
          },
        },
      ],
    }),
  );
  refused(() =>
    defineScenario({
      ...base,
      // @ts-expect-error: no such name within repeat
      steps: [{ repeat: { times: 2, steps: [first, { stats: { surface: { ref: "fist.ok" } } }] } }],
    }),
  );
  refused(() =>
    defineScenario({
      ...base,
      // @ts-expect-error: deep in lists and objects
      steps: [first, { stats: {}, expect: { body: { a: [{ b: { not: { ref: "fist.ok" } } }] } } }],
    }),
  );
  refused(() =>
    defineScenario({
      ...base,
      steps: [
        first,
        // @ts-expect-error: in an operand
        { stats: {}, expect: { body: { a: { atLeast: { sum: [{ ref: "fist.ok" }] } } } } },
      ],
    }),
  );
  refused(() =>
    // @ts-expect-error: in expectations
    defineScenario({ ...base, steps: [first], expectations: [{ of: "first.click_id", is: 1 }] }),
  );
  refused(() =>
    defineScenario({
      ...base,
      steps: [{ repeat: { times: 1, steps: [first] }, as: "rounds" }],
      // @ts-expect-error: no such tally
      expectations: [{ of: "rounds.snt", is: 1 }],
    }),
  );
  refused(() =>
    // @ts-expect-error: no such answer
    defineScenario({ ...base, steps: [first, { expect: { answer: "last", status: 200 } }] }),
  );
  // @ts-expect-error: no such answer to wait for
  refused(() => defineScenario({ ...base, steps: [first, { advance: { retryAfterOf: "last" } }] }));
  refused(() =>
    defineScenario({
      ...base,
      // @ts-expect-error: no header of it
      steps: [first, { stats: {}, headers: { "x-a": { header: "date", of: "last" } } }],
    }),
  );
  refused(() =>
    defineScenario({
      ...base,
      steps: [
        { signUp: {}, as: "acme" },
        // @ts-expect-error: no such publisher
        { impression: {}, publisher: "acne" },
      ],
    }),
  );
  // @ts-expect-error: a request is no publisher
  refused(() => defineScenario({ ...base, steps: [first, { rotateKey: { publisher: "first" } }] }));
  refused(() =>
    defineScenario({
      ...base,
      steps: [
        first,
        // @ts-expect-error: nor in traffic
        { traffic: { for: 1, arrivals: { kind: "burst", count: 1 }, publishers: ["first"] } },
      ],
    }),
  );
  refused(() =>
    defineScenario({
      ...base,
      steps: [first],
      // @ts-expect-error: nor in an expectation
      expectations: [{ stats: {}, publisher: "first", is: 1 }],
    }),
  );
  // @ts-expect-error: the name is taken
  refused(() => defineScenario({ ...base, steps: [first, { stats: {}, as: "first" }] }));
  // @ts-expect-error: no such step
  refused(() => defineScenario({ ...base, steps: [{ impresion: {} }] }));
  // @ts-expect-error: two steps in one
  refused(() => defineScenario({ ...base, steps: [{ impression: {}, advance: 1 }] }));
  // @ts-expect-error: no such parameter
  refused(() => defineScenario({ ...base, steps: [{ impression: { adid: "x" } }] }));
  // @ts-expect-error: no such member of a step
  refused(() => defineScenario({ ...base, steps: [{ impression: {}, az: "x" }] }));
  // @ts-expect-error: nor of an expectation
  refused(() => defineScenario({ ...base, steps: [{ impression: {}, expect: { statsu: 200 } }] }));
  // @ts-expect-error: a status is no text
  refused(() => defineScenario({ ...base, steps: [{ stats: {}, expect: { status: "200" } }] }));
  // @ts-expect-error: nor of a scenario
  refused(() => defineScenario({ ...base, seeds: "x", steps: [first] }));
  refused(() =>
    defineScenario({
      ...base,
      // @ts-expect-error: no such kind of value
      steps: [{ impression: {}, expect: { body: { a: { type: "text" } } } }],
    }),
  );
  refused(() =>
    defineScenario({
      ...base,
      // @ts-expect-error: it only goes one way
      steps: [{ impression: {}, expect: { body: { a: { absent: false } } } }],
    }),
  );
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

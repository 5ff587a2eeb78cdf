/** Schemas of what is expected: of an answer, of what a step gave, of the service. */

import * as v from "valibot";
import { listed } from "../../../base/did-you-mean.ts";
import { isPlainObject } from "../../../base/input.ts";
import { laws } from "../../../laws/laws.ts";
import { type RequestOutcome, requestOutcomes } from "../../../laws/seen-exchange.ts";
import type { AnswerExpectation, Expectation } from "../scenario.ts";
import { matcher, plainMatcher } from "./matchers.ts";
import { payoutsParameters, statsParameters } from "./parameters.ts";
import { listOf, numberFrom, oneOf, refused, shape } from "./parts.ts";
import { cast, pathText, stepName } from "./values.ts";

const outcome: v.GenericSchema<unknown, RequestOutcome> = oneOf(requestOutcomes);
const someOutcomes: v.GenericSchema<unknown, RequestOutcome[]> = listOf(outcome, "outcomes");
const statusNumber = numberFrom(100, 599, "whole");
const headerMatchers = v.pipe(
  v.custom<Readonly<Record<string, unknown>>>(
    isPlainObject,
    "must be an object of matchers by header",
  ),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const input = dataset.value;
    const key = Object.keys(input).find((name) => !/^[!#$%&'*+.^_`|~0-9a-z-]{1,100}$/.test(name));
    if (key === undefined) return;
    addIssue({
      message: "must be a header's name in lower case",
      path: [{ type: "object", origin: "key", input, key, value: input[key] }],
    });
  }),
  v.record(v.string(), plainMatcher),
);

const ofAnswer = {
  outcome: v.optional(
    v.lazy(
      (input): v.GenericSchema<unknown, RequestOutcome | RequestOutcome[]> =>
        Array.isArray(input) ? someOutcomes : outcome,
    ),
  ),
  status: v.optional(v.lazy((input) => (typeof input === "number" ? statusNumber : plainMatcher))),
  headers: v.optional(headerMatchers),
  body: v.optional(matcher),
  text: v.optional(plainMatcher),
};
const something = v.check(
  (given: { readonly [name: string]: unknown }) =>
    Object.keys(ofAnswer).some((name) => given[name] !== undefined),
  `must expect something: ${listed(Object.keys(ofAnswer), "or")}`,
);

export const answerExpectation: v.GenericSchema<unknown, AnswerExpectation> = v.pipe(
  shape(ofAnswer),
  something,
) as v.GenericSchema<unknown, AnswerExpectation>;

const invariant: v.GenericSchema<unknown, string> = v.pipe(
  v.string(),
  v.check(
    (id) => id === "all" || laws.some((one) => one.id === id),
    `must be the id of an invariant, or "all": ${laws.map(({ id }) => id).join(", ")}`,
  ),
);

/** By the key that says what is looked at. */
const schemas: Readonly<Record<string, v.GenericSchema<unknown, Expectation>>> = {
  of: shape({ of: pathText, is: matcher }),
  stats: shape({ stats: statsParameters, publisher: v.optional(cast), is: matcher }),
  surfaces: shape({
    surfaces: shape({}),
    publisher: v.optional(cast),
    is: matcher,
  }) as v.GenericSchema<unknown, Expectation>,
  payouts: shape({ payouts: payoutsParameters, publisher: v.optional(cast), is: matcher }),
  audit: shape({ audit: matcher }),
  invariant: shape({ invariant }),
};
const expectationKeys = Object.keys(schemas);
const answerKeys = [...Object.keys(ofAnswer), "answer"];
const expectedAnswer = v.pipe(
  shape({ ...ofAnswer, answer: v.optional(stepName) }),
  something,
) as v.GenericSchema<unknown, Expectation>;

export const expectation: v.GenericSchema<unknown, Expectation> = v.lazy(
  (input): v.GenericSchema<unknown, Expectation> => {
    if (!isPlainObject(input)) return refused('must be an object, such as { "status": 200 }');
    const names = Object.keys(input);
    const key = expectationKeys.find((one) => names.includes(one));
    if (key !== undefined) return schemas[key] ?? expectedAnswer;
    if (names.some((name) => answerKeys.includes(name))) return expectedAnswer;
    return refused(
      `must have one of ${listed([...Object.keys(ofAnswer), ...expectationKeys], "or")}`,
    );
  },
);

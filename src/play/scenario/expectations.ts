/** Schemas of expectations: about an answer, a step's output, or the service. */

import * as v from "valibot";
import { formatList } from "../../base/did-you-mean.ts";
import { isPlainObject } from "../../base/input.ts";
import {
  anyOf,
  described,
  namedSchema,
  oneOrMore,
  optional,
  type Schema,
} from "../../base/schema-builders.ts";
import { requestOutcomes } from "../../invariants/client-exchange.ts";
import { invariants } from "../../invariants/invariants.ts";
import { matcher, plainMatcher, statusMatcher } from "./matchers.ts";
import { payoutsParameters, statsParameters } from "./parameters.ts";
import { type EntriesOf, exactObject, invalid, listOf, oneOf, recordOf } from "./schema-parts.ts";
import { type ExpectationKey, type ExpectationOf, expectationKeys } from "./step-kind.ts";
import type { AnswerExpectation, Expectation } from "./types.ts";
import { pathText, publisherRef, stepName } from "./values.ts";

const outcome = oneOf(requestOutcomes);
const headerMatchers = recordOf(
  plainMatcher,
  (name) => {
    const isName = /^[!#$%&'*+.^_`|~0-9a-z-]{1,100}$/.test(name);
    return isName ? undefined : "must be a header's name in lower case";
  },
  "must be an object with a matcher for each header",
);

const answerEntries: EntriesOf<AnswerExpectation> = {
  outcome: optional(
    oneOrMore(outcome, listOf(outcome, "outcomes")),
    "What the client sees of the request.",
  ),
  status: optional(statusMatcher, "The response's status."),
  headers: optional(headerMatchers, "Headers by lower-case name."),
  body: optional(matcher, "Matches the body parsed as JSON."),
  text: optional(plainMatcher, "Matches the body as received."),
};

function withAnExpectation<Of extends AnswerExpectation>(schema: Schema<Of>): Schema<Of> {
  return v.pipe(
    schema,
    v.check(
      (given) => Object.keys(given).some((name) => Object.hasOwn(answerEntries, name)),
      `must expect at least one of ${formatList(Object.keys(answerEntries), "or")}`,
    ),
    v.metadata({ minProperties: 1 }),
  );
}

export const answerExpectation: Schema<AnswerExpectation> = namedSchema("answer", () =>
  withAnExpectation(exactObject<AnswerExpectation>(answerEntries)),
);
type OfAnswer = Extract<Expectation, { readonly answer?: unknown }>;
const expectedAnswer = withAnExpectation(
  exactObject<OfAnswer>({
    ...answerEntries,
    answer: optional(stepName, "The request that it is about. Default: the last one."),
  }),
);

const reported = {
  publisher: optional(publisherRef),
  is: matcher,
};
const invariantIds = ["all", ...invariants.map(({ id }) => id)];

const asked = "What the service reports. adsim asks a copy of the world, so this spends no quota.";
const schemas: { readonly [Key in ExpectationKey]: Schema<ExpectationOf<Key>> } = {
  of: exactObject<ExpectationOf<"of">>({
    of: described(pathText, "What an earlier step gave, or a part of it."),
    is: matcher,
  }),
  stats: exactObject<ExpectationOf<"stats">>({
    stats: described(statsParameters, asked),
    ...reported,
  }),
  surfaces: exactObject<ExpectationOf<"surfaces">>({
    surfaces: described(exactObject<Record<string, never>>({}), asked),
    ...reported,
  }),
  payouts: exactObject<ExpectationOf<"payouts">>({
    payouts: described(payoutsParameters, asked),
    ...reported,
  }),
  audit: exactObject<ExpectationOf<"audit">>({
    audit: described(matcher, "Of what the audit tells."),
  }),
  invariant: exactObject<ExpectationOf<"invariant">>({
    invariant: described(
      v.picklist(
        invariantIds,
        `must be the id of an invariant, or "all": ${invariantIds.slice(1).join(", ")}`,
      ),
      'An invariant by its id, such as "M1", or "all".',
    ),
  }),
};

export const expectation: Schema<Expectation> = namedSchema("expectation", () =>
  anyOf<Expectation>([expectedAnswer, ...Object.values(schemas)], (input) => {
    if (!isPlainObject(input)) return invalid('must be an object, such as { "status": 200 }');
    const key = expectationKeys.find((one) => Object.hasOwn(input, one));
    if (key !== undefined) return schemas[key];
    const names = [...Object.keys(answerEntries), "answer"];
    if (Object.keys(input).some((name) => names.includes(name))) return expectedAnswer;
    return invalid(
      `must have one of ${formatList([...Object.keys(answerEntries), ...expectationKeys], "or")}`,
    );
  }),
);

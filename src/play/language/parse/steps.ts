/** Schemas of steps: exactly one key says what a step is, and with it what else it may have. */

import * as v from "valibot";
import { didYouMean, listed } from "../../../base/did-you-mean.ts";
import { InputError, isPlainObject, parseInput } from "../../../base/input.ts";
import { instantText } from "../../../base/schemas.ts";
import { duration } from "../../../faults/delay.ts";
import { type FaultRule, parseRule } from "../../../faults/rule.ts";
import { type Readings, readReadings } from "../../../simulator/simulator-options.ts";
import { type AssumptionKey, catalogue } from "../../../spec/assumptions/catalogue.ts";
import { resolveAssumptions } from "../../../spec/assumptions/resolve.ts";
import { changeSchema, signUpSchema } from "../../../world/accounts/directory.ts";
import type { AdvanceStep, RawRequest, RequestStep, SetSurfaceStep, Step } from "../scenario.ts";
import { requestKinds, type StepKind, stepKinds } from "../step-kind.ts";
import { answerExpectation, expectation } from "./expectations.ts";
import { matcher } from "./matchers.ts";
import {
  clickParameters,
  impressionParameters,
  payoutsParameters,
  statsParameters,
  surfacesParameters,
} from "./parameters.ts";
import { accepted, listOf, numberFrom, oneOf, refused, shape } from "./parts.ts";
import { traffic } from "./traffic.ts";
import { cast, headers, note, stepName, timeout, value, valueRecord } from "./values.ts";

/** Of one parallel step: they are held at once. */
export const MOST_PARALLEL = 100_000;
const COUNTLESS = Number.MAX_SAFE_INTEGER;

export const faultRule: v.GenericSchema<unknown, FaultRule> = accepted((input) =>
  parseRule(input, ""),
);
/** Whether choices go together depends on those in force: it is looked at later. */
export const readings: v.GenericSchema<unknown, Readings> = accepted((input) => {
  for (const [key, choice] of Object.entries(readReadings(input))) checkReading(key, choice);
});

function checkReading(key: string, choice: unknown): void {
  try {
    resolveAssumptions({ [key]: choice });
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    // Choices that need another one are looked at with all that are in force.
    const isKnown = Object.hasOwn(catalogue, key) && typeof choice === "string";
    const choices: object = isKnown ? catalogue[key as AssumptionKey].choices : {};
    if (isKnown && Object.hasOwn(choices, choice)) return;
    throw new InputError(error.field.replace(/^assumptions\.?/, ""), error.expected);
  }
}

const named = { as: v.optional(stepName), note: v.optional(note) };
const asked = {
  ...named,
  publisher: v.optional(cast),
  key: v.optional(value),
  encoding: v.optional(oneOf(["json", "form", "query"])),
  headers: v.optional(headers),
  timeout: v.optional(timeout),
  expect: v.optional(answerExpectation),
};
const target = (start: RegExp, what: string): v.GenericSchema<unknown, string> =>
  v.pipe(
    v.string(),
    v.maxLength(16_000, "must have at most 16,000 characters"),
    v.regex(start, what),
  );
const textOrValues = (
  text: v.GenericSchema<unknown, string>,
): v.GenericSchema<unknown, string | RawRequest["body"]> =>
  v.lazy(
    (input): v.GenericSchema<unknown, string | RawRequest["body"]> =>
      typeof input === "string" ? text : valueRecord,
  );
const raw: v.GenericSchema<unknown, RawRequest> = shape({
  method: v.pipe(
    v.string(),
    v.regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}$/, "must be an HTTP method, such as GET"),
    v.check((method) => !/^connect$/i.test(method), "must not be CONNECT: it asks for a tunnel"),
  ),
  path: target(
    /^\/[!-"$-~]*$/,
    "must be a path from the slash on, in printable ASCII without spaces and #: percent-encode others",
  ),
  query: v.optional(
    textOrValues(
      target(/^[!-"$-~]*$/, "must be printable ASCII without spaces and #: percent-encode others"),
    ),
  ),
  body: v.optional(textOrValues(v.string())),
});

const requestSchemas: {
  readonly [Kind in (typeof requestKinds)[number]]: v.GenericSchema<unknown, RequestStep>;
} = {
  impression: shape({ impression: impressionParameters, ...asked }),
  click: shape({ click: clickParameters, ...asked }),
  stats: shape({ stats: statsParameters, ...asked }),
  surfaces: shape({ surfaces: surfacesParameters, ...asked }),
  payouts: shape({ payouts: payoutsParameters, ...asked }),
  raw: shape({ raw, ...asked }),
};

const step: v.GenericSchema<unknown, Step> = v.lazy((input) => schemaOf(input, stepKinds));
const requestStep: v.GenericSchema<unknown, RequestStep> = v.lazy(
  // Of these kinds are requests only.
  (input) => schemaOf(input, requestKinds) as v.GenericSchema<unknown, RequestStep>,
);
export const steps: v.GenericSchema<unknown, Step[]> = listOf(step, "steps");

const advanceTo = shape({ to: instantText });
const advanceAfter = shape({
  retryAfterOf: stepName,
  less: v.optional(duration),
  more: v.optional(duration),
});
const advance: v.GenericSchema<unknown, AdvanceStep["advance"]> = v.lazy(
  (input): v.GenericSchema<unknown, AdvanceStep["advance"]> => {
    if (!isPlainObject(input)) return duration;
    return Object.hasOwn(input, "to") ? advanceTo : advanceAfter;
  },
);
const ruleId: v.GenericSchema<unknown, string> = v.pipe(
  v.string('must be a rule\'s id, a list of such, or "all"'),
  v.regex(/^[A-Za-z0-9._-]{1,64}$/, "must be a rule's id"),
);
const ruleIds = listOf(ruleId, "ids of rules");
interface Terms {
  readonly status?: unknown;
  readonly cpmRange?: unknown;
}
const setSurface: v.GenericSchema<unknown, SetSurfaceStep["setSurface"]> = v.pipe(
  shape({
    publisher: v.optional(cast),
    surface: v.optional(numberFrom(0, COUNTLESS, "whole")),
    status: v.optional(v.unknown()),
    cpmRange: v.optional(v.unknown()),
  }),
  accepted<SetSurfaceStep["setSurface"], Terms>(({ status, cpmRange }) => {
    parseInput(changeSchema, {
      ...(status === undefined ? {} : { status }),
      ...(cpmRange === undefined ? {} : { cpmRange }),
    });
  }),
);
const tallied = { ...named, expect: v.optional(matcher) };

const stepSchemas: { readonly [Kind in StepKind]: v.GenericSchema<unknown, Step> } = {
  ...requestSchemas,
  advance: shape({ ...named, advance }),
  traffic: shape({ ...tallied, traffic }),
  assume: shape({ ...named, assume: readings }),
  fault: shape({ ...named, fault: faultRule }),
  heal: shape({
    ...named,
    heal: v.lazy(
      (input): v.GenericSchema<unknown, string | string[]> =>
        Array.isArray(input) ? ruleIds : ruleId,
    ),
  }),
  signUp: shape({
    ...named,
    // A schema of an object takes a list for one without members.
    signUp: v.pipe(v.custom<unknown>(isPlainObject, "must be an object"), signUpSchema),
  }),
  setSurface: shape({ ...named, setSurface }),
  rotateKey: shape({ ...named, rotateKey: shape({ publisher: v.optional(cast) }) }),
  repeat: shape({
    ...tallied,
    repeat: shape({
      times: numberFrom(1, COUNTLESS, "whole"),
      every: v.optional(duration),
      steps,
    }),
  }),
  parallel: shape({
    ...tallied,
    parallel: shape({
      times: v.optional(numberFrom(1, MOST_PARALLEL, "whole")),
      steps: listOf(requestStep, "requests"),
    }),
  }),
  expect: shape({ ...named, expect: expectation }),
};

function schemaOf(input: unknown, among: readonly StepKind[]): v.GenericSchema<unknown, Step> {
  if (!isPlainObject(input)) return refused("must be a step: an object with one key of a step");
  const all = stepKinds.filter((kind) => Object.hasOwn(input, kind));
  // Other steps may expect something too.
  const found = all.length === 1 ? all : all.filter((kind) => kind !== "expect");
  const [kind] = found;
  if (kind !== undefined && found.length === 1 && among.includes(kind)) return stepSchemas[kind];
  const keys = listed(among, "or");
  if (kind === undefined) {
    const hints = Object.keys(input).map((name) => didYouMean(name, among));
    const hint = hints.find((one) => one !== "") ?? "";
    return refused(`must have one key that says what the step is: ${keys}.${hint}`);
  }
  if (found.length > 1) {
    return refused(`has ${listed(found)}: a step is one of them. Make a step of each`);
  }
  return refused(`is ${kind}, and in a parallel step there are only requests: ${keys}`);
}

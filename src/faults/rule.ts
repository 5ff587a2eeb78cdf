/** A rule as users write it: which requests it matches, and what happens to them. The schema gives the types. */

import * as v from "valibot";
import { parseInstant } from "../base/calendar.ts";
import { durationMs } from "../base/duration.ts";
import { InputError, isPlainObject, parseInput } from "../base/input.ts";
import {
  instantText,
  namedSchema,
  oneOrMore,
  optional,
  type Schema,
  strictObject,
  wholeFrom,
} from "../base/schemas.ts";
import { type OperationId, operationIds } from "../spec/operations.ts";
import { duration, oneOf, shareSchema, type Verdict, verdictSchema } from "./verdict.ts";

/** The maximum number of rules in a world. */
export const MAX_RULES = 1000;

const id = v.pipe(
  v.string("must be a string"),
  v.minLength(1, "must not be empty"),
  v.check((text) => !/^key_/i.test(text), "must be an id, not an API key"),
);

function some<Item>(item: Schema<Item>, description: string) {
  const list = v.pipe(v.array(item), v.minLength(1, "must not be an empty list"));
  return optional(oneOrMore(item, list), description);
}

const repeat = v.pipe(
  strictObject({ for: duration, every: duration }),
  v.check(
    (given) => durationMs(given.for) > 0 && durationMs(given.for) < durationMs(given.every),
    "must have for longer than 0 and shorter than every",
  ),
  v.description("Only the first `for` of each `every`, counted from `from` or else from 1970."),
);
const match = v.pipe(
  v.custom<unknown>(isPlainObject, "must be an object"),
  strictObject({
    operation: some(oneOf(operationIds), "Which operations."),
    publisher: some(id, "Ids of the publishers whose keys are sent. They may sign up later."),
    surface: some(id, "Ids of the surfaces in the parameters; for a click, of its impression."),
    from: optional(instantText, "Requests from this instant of the world's clock on."),
    until: optional(instantText, "Requests before this instant of the world's clock."),
    repeat: optional(repeat),
    nth: some(wholeFrom(1), "Requests with these numbers, from 1."),
    every: optional(wholeFrom(1), "Requests whose number is a multiple of this."),
    share: optional(shareSchema, "The chance of each request."),
    times: optional(wholeFrom(1), "How often the rule decides at most."),
    per: optional(oneOf(["publisher", "world"]), "Numbers by publisher (default) or for all."),
  }),
  v.check(
    ({ from = "", until = "" }) =>
      (parseInstant(from) ?? 0) < (parseInstant(until) ?? Number.POSITIVE_INFINITY),
    "must have from before until",
  ),
  v.description("Which requests the rule decides on. Default: all."),
);
const ruleId = v.pipe(
  v.string("must be a string"),
  // "." and ".." have a meaning in paths, the two words in filters of the journal.
  v.regex(
    /^(?!(\.+|any|none)$)[A-Za-z0-9._-]{1,64}$/,
    'must be 1 to 64 letters, digits, dots, underscores and hyphens, not only dots, "any" or "none"',
  ),
  v.description("The rule's name in the journal and for heal; seeds its draws. Default: rule-N."),
);
const ttl = v.pipe(
  duration,
  v.check((given) => durationMs(given) > 0, "must be longer than 0"),
  v.description("How long the rule stays. Default: until it is healed."),
);
const rule = v.pipe(
  v.custom<unknown>(isPlainObject, 'must be an object such as { "verdict": { "kind": "drop" } }'),
  strictObject({
    id: optional(ruleId),
    match: optional(match),
    verdict: v.pipe(verdictSchema, v.description("What happens to these requests.")),
    ttl: optional(ttl),
  }),
);
export const ruleSchema: Schema<FaultRule> = namedSchema("faultRule", () => rule);

/**
 * Which requests a rule decides on: those that meet all conditions. The first six say which requests the rule looks at and
 * numbers. `nth`, `every` and `share` choose among those by number, so that every transport chooses the same ones.
 */
export interface FaultMatch extends v.InferOutput<typeof match> {}

/** A rule as data. */
export interface FaultRule extends v.InferOutput<typeof rule> {}

/** A copy of a request, given to a rule that is a function. */
export interface FaultRequest {
  /** Counts the requests of this publisher that the rule has looked at, from 1. */
  readonly number: number;
  /** Milliseconds since 1970 on the world's clock. */
  readonly nowMs: number;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Text. Bytes that aren't UTF-8 become U+FFFD. */
  readonly body: string;
  /** Undefined if the path belongs to no operation. */
  readonly operation: OperationId | undefined;
  /** Id of the publisher whose key was sent; undefined without a valid key. */
  readonly publisher: string | undefined;
  /** Id of the surface in the parameters; for a click, of its impression. Undefined if they aren't valid or not this key's. */
  readonly surface: string | undefined;
}

/**
 * A rule as a function. It returns a verdict, or undefined to let the request pass. It is called for every request, can't
 * be async, and must not send requests to the simulator or call its `assume`, `restore` or `reset`. If it throws, the call
 * that sent the request throws the same error.
 */
export type FaultFunction = (request: FaultRequest) => Verdict | undefined;

/** A checked copy of a rule as data. `name` is its name in errors. @throws InputError that names the invalid field. */
export function parseRule(input: unknown, name = "rule"): FaultRule {
  const rule = parseInput(ruleSchema, input, name);
  // JSON only drops undefined members here: the schema has refused everything that it can't write.
  return JSON.parse(JSON.stringify(rule)) as FaultRule;
}

/** Checks what a function returned. @throws InputError that names the rule. */
export function parseVerdict(rule: string, returned: unknown): Verdict | undefined {
  if (returned === undefined) return undefined;
  if (typeof returned === "object" && returned !== null && "then" in returned) {
    throw new InputError(`faults.${rule}`, "returned a promise. A fault function can't be async");
  }
  try {
    return parseInput(verdictSchema, returned);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new InputError(`faults.${rule}`, `returned an invalid verdict: ${error.message}`);
  }
}

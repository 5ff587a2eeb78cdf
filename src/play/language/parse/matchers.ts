/** Schemas of what a value must be: plain data that is compared, or a rule with one key. */

import * as v from "valibot";
import { didYouMean, listed } from "../../../base/did-you-mean.ts";
import { isPlainObject } from "../../../base/input.ts";
import type { Matcher, MatchRule, Operand } from "../scenario.ts";
import { listOf, oneOf, refused, shape, textUpTo } from "./parts.ts";
import { reference, valueObject } from "./values.ts";

type RuleKey = MatchRule extends infer Rule ? (Rule extends unknown ? keyof Rule : never) : never;

const number = v.number("must be a number");
const operand: v.GenericSchema<unknown, Operand> = v.lazy(
  (input): v.GenericSchema<unknown, Operand> => {
    if (typeof input === "number") return number;
    if (!isPlainObject(input)) return noOperand;
    if (Object.hasOwn(input, "sum")) return sum;
    return Object.hasOwn(input, "ref") ? reference : noOperand;
  },
);
const noOperand = refused(
  'must be a number, { "ref": "NAME.path" }, or { "sum": [...] } of such ones',
);
const sum: v.GenericSchema<unknown, { sum: Operand[] }> = shape({
  sum: listOf(operand, "numbers and references"),
});

/** What a value must be, whatever it is. */
export const matcher: v.GenericSchema<unknown, Matcher> = v.lazy((input) => schemaOf(input));

/** What a text or a number must be: an object can only be a rule. */
export const plainMatcher: v.GenericSchema<unknown, Matcher> = v.lazy((input) => {
  if (Array.isArray(input)) return refused("must be a value or a rule, not a list");
  if (!isPlainObject(input) || valueObject(input) !== undefined) return schemaOf(input);
  const names = Object.keys(input);
  const [key = ""] = names;
  if (names.length === 1 && isRuleKey(key)) return ruleSchemas[key];
  if (names.length > 1 && names.every(isRuleKey)) return schemaOf(input);
  const hint = names.map((name) => didYouMean(name, ruleKeys)).find((found) => found !== "");
  return refused(
    `must be a value or a rule with one key of ${listed(ruleKeys, "or")}.${hint ?? ""}`,
  );
});

const ruleSchemas: { readonly [Key in RuleKey]: v.GenericSchema<unknown, Matcher> } = {
  atLeast: shape({ atLeast: operand }),
  atMost: shape({ atMost: operand }),
  between: shape({
    between: v.pipe(
      v.strictTuple([operand, operand], "must be [least, most]"),
      v.check(
        ([least, most]) => typeof least !== "number" || typeof most !== "number" || least <= most,
        "must have its lower bound first",
      ),
    ),
  }),
  oneOf: shape({ oneOf: listOf(matcher, "what it may be") }),
  not: shape({ not: matcher }),
  type: shape({
    type: oneOf(["string", "integer", "number", "boolean", "null", "array", "object"]),
  }),
  contains: shape({ contains: textUpTo(100_000) }),
  startsWith: shape({ startsWith: textUpTo(100_000) }),
  length: shape({ length: plainMatcher }),
  every: shape({ every: matcher }),
  some: shape({ some: matcher }),
  absent: shape({ absent: v.literal(true, 'must be true; "not" says that a value is there') }),
  sum,
  equals: shape({ equals: v.unknown() }) as v.GenericSchema<unknown, Matcher>,
};
export const ruleKeys: readonly RuleKey[] = Object.keys(ruleSchemas).filter(isRuleKey);

/** Keys that no member of an answer has: beside another key they are a mistake. */
const unmistakable: ReadonlySet<string> = new Set(
  ["ref", "numbered", ...ruleKeys].filter((key) => key !== "type" && key !== "length"),
);

const list: v.GenericSchema<unknown, Matcher> = v.array(matcher);
const members: v.GenericSchema<unknown, Matcher> = v.record(v.string(), matcher);
const scalar = v.unknown() as v.GenericSchema<unknown, Matcher>;

function schemaOf(input: unknown): v.GenericSchema<unknown, Matcher> {
  if (typeof input !== "object" || input === null) return scalar;
  if (Array.isArray(input)) return list;
  if (!isPlainObject(input)) return refused("must be a value or a rule");
  const asValue = valueObject(input);
  if (asValue !== undefined) return asValue;
  const names = Object.keys(input);
  const [key = ""] = names;
  if (names.length === 1 && isRuleKey(key)) return ruleSchemas[key];
  const rule = names.find((name) => unmistakable.has(name));
  if (rule === undefined) return members;
  return refused(
    `has ${rule} beside ${listed(names.filter((name) => name !== rule))}: a rule has one key. ` +
      'Use "between" for two bounds, or "equals" for data that looks like a rule',
  );
}

function isRuleKey(key: string): key is RuleKey {
  return Object.hasOwn(ruleSchemas, key);
}

/** Schemas of matchers: plain data that is compared, or a rule with one key. */

import * as v from "valibot";
import { didYouMean, formatList } from "../../base/did-you-mean.ts";
import { isPlainObject } from "../../base/input.ts";
import { anyOf, described, namedSchema, type Schema } from "../../base/schema-builders.ts";
import { wholeBetween } from "../../base/schemas.ts";
import { type EntriesOf, exactObject, invalid, listOf, oneOf, textUpTo } from "./schema-parts.ts";
import type { Matcher, MatchRule, Operand, StatusMatcher } from "./types.ts";
import { reference, value, valueObject } from "./values.ts";

type RuleKey = MatchRule extends infer Rule ? (Rule extends unknown ? keyof Rule : never) : never;
type RuleOf<Key extends RuleKey> = Extract<MatchRule, { readonly [One in Key]: unknown }>;

const number = v.number("must be a number");
const noOperand = invalid('must be a number, { "ref": "NAME.path" }, or { "sum": [...] } of these');
const operand: Schema<Operand> = namedSchema(
  "operand",
  () =>
    anyOf<Operand>([number, reference, sum], (input) => {
      if (typeof input === "number") return number;
      if (!isPlainObject(input)) return noOperand;
      if (Object.hasOwn(input, "sum")) return sum;
      return Object.hasOwn(input, "ref") ? reference : noOperand;
    }),
  "A number, a reference to one, or a sum of these.",
);
const sum: Schema<RuleOf<"sum">> = exactObject<RuleOf<"sum">>({
  sum: described(listOf(operand, "numbers and references"), "Exact to the micro-INR."),
});

/** A matcher for any value. */
export const matcher: Schema<Matcher> = namedSchema(
  "matcher",
  () => anyOf<Matcher>([plainMatcher, list, members], schemaOf),
  "What a value must look like. A plain value must be equal. An object must have these members; others are ignored. A list must have the same length and match element by element. A rule is an object with one key.",
);

/** A matcher for a text or a number, so an object can only be a rule. */
export const plainMatcher: Schema<Matcher> = namedSchema("rule", () =>
  anyOf<Matcher>([value, ...Object.values(ruleSchemas)], (input) => {
    if (Array.isArray(input)) return invalid("must be a value or a rule, not a list");
    if (!isPlainObject(input) || valueObject(input) !== undefined) return schemaOf(input);
    return noRule(input, ruleKeys, "a value") ?? schemaOf(input);
  }),
);

/** A matcher for a status, which is never a text. */
export const statusMatcher: Schema<StatusMatcher> = namedSchema("status", () =>
  anyOf<StatusMatcher>([statusNumber, reference, ...Object.values(statusRules)], (input) => {
    if (typeof input === "number") return statusNumber;
    if (!isPlainObject(input)) {
      return invalid("must be a number from 100 to 599, such as 200, or a rule for numbers");
    }
    if (valueObject(input) === reference) return reference;
    const keys = Object.keys(statusRules) as (keyof typeof statusRules)[];
    const key = keys.find((one) => Object.hasOwn(input, one)) ?? "atLeast";
    return noRule(input, keys, "a status from 100 to 599") ?? statusRules[key];
  }),
);

const bounds = v.pipe(
  v.strictTuple([operand, operand], "must be [least, most]"),
  v.check(
    ([least, most]) => typeof least !== "number" || typeof most !== "number" || least <= most,
    "must have the lower bound first",
  ),
);
const absent = v.literal(
  true,
  'must be true. To expect a value to exist, use { "not": { "absent": true } }',
);
const types = ["string", "integer", "number", "boolean", "null", "array", "object"] as const;

/** The schema of a rule: an object with only this key. */
function rule<Key extends RuleKey>(
  key: Key,
  holds: Schema<RuleOf<Key>[Key & keyof RuleOf<Key>]>,
  says: string,
): Schema<RuleOf<Key>> {
  return exactObject({ [key]: described(holds, says) } as unknown as EntriesOf<RuleOf<Key>>);
}

const ruleSchemas: { readonly [Key in RuleKey]: Schema<RuleOf<Key>> } = {
  atLeast: rule("atLeast", operand, "This or more."),
  atMost: rule("atMost", operand, "This or less."),
  between: rule("between", bounds, "From the first to the second."),
  oneOf: rule("oneOf", listOf(matcher, "what it may be"), "At least one of these."),
  not: rule("not", matcher, "Anything but this."),
  type: rule("type", oneOf(types), "Of this type."),
  contains: rule("contains", textUpTo(100_000), "A text that contains this."),
  startsWith: rule("startsWith", textUpTo(100_000), "A text that begins with this."),
  length: rule("length", plainMatcher, "The length of a text, in UTF-16 units, or of a list."),
  every: rule("every", matcher, "Every element of a list. An empty list is unknown."),
  some: rule("some", matcher, "At least one element of a list."),
  absent: rule("absent", absent, "There is no such member."),
  sum,
  equals: rule("equals", v.unknown(), "Literally this, even if it looks like a rule."),
};
const statusNumber = wholeBetween(100, 599);
const { atLeast, atMost, between, type } = ruleSchemas;
const statusRules = {
  atLeast,
  atMost,
  between,
  sum,
  type,
  oneOf: exactObject<{ readonly oneOf: readonly StatusMatcher[] }>({
    oneOf: listOf(statusMatcher, "what it may be"),
  }),
  not: exactObject<{ readonly not: StatusMatcher }>({ not: statusMatcher }),
  equals: exactObject<{ readonly equals: number }>({ equals: statusNumber }),
};
const ruleKeys: readonly RuleKey[] = Object.keys(ruleSchemas).filter(isRuleKey);

/** Names of rules in other tools. As the only member of an object they are taken for a mistake. */
const otherNames: Readonly<Record<string, RuleKey>> = {
  greaterThan: "atLeast",
  greaterThanOrEqual: "atLeast",
  moreThan: "atLeast",
  gt: "atLeast",
  gte: "atLeast",
  lessThan: "atMost",
  lessThanOrEqual: "atMost",
  lt: "atMost",
  lte: "atMost",
  eq: "equals",
  equal: "equals",
  anyOf: "oneOf",
};
const rulesByName: ReadonlyMap<string, RuleKey> = new Map(
  [...ruleKeys.map((key) => [key, key] as const), ...Object.entries(otherNames)]
    .filter(([name]) => name !== "type" && name !== "length")
    .map(([name, rule]) => [simple(name), rule]),
);

/** Keys that no answer has as members. Next to another key they are a mistake. */
const unmistakable: ReadonlySet<string> = new Set(
  ["ref", "numbered", "daysAgo", ...ruleKeys].filter((key) => key !== "type" && key !== "length"),
);

const list: Schema<Matcher> = v.array(matcher);
const record: Schema<Matcher> = v.record(v.string(), matcher);
const members: Schema<Matcher> = v.pipe(
  record,
  v.metadata({
    not: {
      maxProperties: 1,
      anyOf: ["ref", "numbered", "daysAgo", ...ruleKeys, ...Object.keys(otherNames)].map((key) => ({
        required: [key],
      })),
    },
  }),
);

function schemaOf(input: unknown): Schema<Matcher> {
  if (Array.isArray(input)) return list;
  if (!isPlainObject(input)) return value;
  const asValue = valueObject(input);
  if (asValue !== undefined) return asValue;
  const names = Object.keys(input);
  const [key = ""] = names;
  if (names.length === 1 && isRuleKey(key)) return ruleSchemas[key];
  const meant = names.length === 1 ? ruleMeantBy(key) : undefined;
  if (meant !== undefined) {
    return invalid(`has ${key}, which is not a rule. Did you mean "${meant}"?`);
  }
  return severalRules(names) ?? members;
}

/** Where only a rule with one of these keys is allowed: the error for any other object, or undefined. */
function noRule(
  input: Readonly<Record<string, unknown>>,
  keys: readonly string[],
  orElse: string,
): Schema<never> | undefined {
  const names = Object.keys(input);
  const several = names.every(isRuleKey) ? severalRules(names) : undefined;
  if (names.length > 1 && several !== undefined) return several;
  if (names.length === 1 && keys.includes(names[0] ?? "")) return undefined;
  const hints = names.map((name) => didYouMean(ruleMeantBy(name) ?? name, keys));
  const hint = hints.find((one) => one !== "") ?? "";
  return invalid(`must be ${orElse} or a rule with one key of ${formatList(keys, "or")}.${hint}`);
}

function severalRules(names: readonly string[]): Schema<never> | undefined {
  const first = names.find((name) => unmistakable.has(name));
  if (first === undefined) return undefined;
  return invalid(
    `has ${first} next to ${formatList(names.filter((name) => name !== first))}: a rule has one key. ` +
      'Use "between" for two bounds, or "equals" for data that looks like a rule',
  );
}

/** The rule meant by another spelling ("at_least") or by another tool's name. */
function ruleMeantBy(name: string): RuleKey | undefined {
  return rulesByName.get(simple(name));
}

function simple(name: string): string {
  return name.replaceAll(/[_-]/g, "").toLowerCase();
}

export function isRuleKey(key: string): key is RuleKey {
  return Object.hasOwn(ruleSchemas, key);
}

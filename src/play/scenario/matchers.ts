/** The rules of matchers by name, and mistakes in matchers. At play time a misspelt rule or member would only look absent. */

import { didYouMean, formatList } from "../../base/did-you-mean.ts";
import { isPlainObject } from "../../base/input.ts";
import { fail, type Place } from "./place.ts";
import { alternativesIn, definitionOf } from "./schema.ts";
import type { MatchRule } from "./types.ts";

type RuleKey = MatchRule extends infer Rule ? (Rule extends unknown ? keyof Rule : never) : never;

const ruleKeys: readonly string[] = alternativesIn(definitionOf("MatchRule")).flatMap(
  ({ required = [] }) => required,
);
/** Answers have members called `type` and `length`. */
const unmistakable = ruleKeys.filter((key) => key !== "type" && key !== "length");
/** What other tools call the rules. */
const otherNames: Readonly<Partial<Record<RuleKey, string>>> = {
  atLeast: "greaterThan greaterThanOrEqual moreThan gt gte",
  atMost: "lessThan lessThanOrEqual lt lte",
  equals: "eq equal",
  oneOf: "anyOf",
};
const meant = new Map([
  ...unmistakable.map((key) => [simple(key), key] as const),
  ...Object.entries(otherNames).flatMap(([rule, names]) =>
    names.split(" ").map((name) => [simple(name), rule] as const),
  ),
]);

export function isRuleKey(key: string): key is RuleKey {
  return ruleKeys.includes(key);
}

/** What is wrong with an object where only values and rules are allowed. */
export function whyNoRule(names: readonly string[], keys: readonly string[], says = ""): string {
  const several = names.length > 1 && names.every(isRuleKey) ? severalRules(names) : undefined;
  const hints = names.map((name) => didYouMean(meant.get(simple(name)) ?? name, keys));
  return several ?? `${says}.${hints.find((one) => one !== "") ?? ""}`;
}

/** @throws InputError for members that are meant as a rule, and those that what is compared never has. */
export function checkMembers(members: unknown, place: Place): void {
  if (!isPlainObject(members)) return;
  const { shape } = place;
  const names = Object.keys(members);
  const rule = names.length === 1 ? meant.get(simple(names.join())) : undefined;
  if (shape === "plain") {
    fail(place, whyNoRule(names, ruleKeys, "must be a value or a rule with one key"));
  }
  if (rule !== undefined) fail(place, `has ${names}, which is not a rule. Did you mean "${rule}"?`);
  const several = severalRules(names);
  if (several !== undefined) fail(place, several);
  if (shape === undefined) return;
  if ("element" in shape) {
    fail(place, 'must be a list, or a rule such as "some" or "every": this value is a list');
  }
  const known = Object.keys(shape.members);
  for (const [name, expected] of Object.entries(members)) {
    if (known.includes(name) || (isPlainObject(expected) && expected.absent === true)) continue;
    if (shape.areNumbered && /^\d{1,9}$/.test(name)) continue;
    if (shape.areNumbered) fail(place, "must be a number, such as 200", name);
    const hint = didYouMean(name, known) || ` Members: ${formatList(known)}`;
    fail(place, `does not exist here.${hint}`, name);
  }
}

function severalRules(names: readonly string[]): string | undefined {
  const first = [...unmistakable, "ref", "numbered", "daysAgo"].find((key) => names.includes(key));
  if (first === undefined) return undefined;
  const others = formatList(names.filter((name) => name !== first));
  return `has ${first} next to ${others}: a rule has one key. Use "between" for two bounds, or "equals" for data that looks like a rule`;
}

/** "at_least" is another spelling of "atLeast". */
function simple(name: string): string {
  return name.replaceAll(/[_-]/g, "").toLowerCase();
}

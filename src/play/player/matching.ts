/** Holds what was found against what was expected, member by member. What can't be known is said to be unknown, not right. */

import { isPlainObject } from "../../base/input.ts";
import { withoutSecrets } from "../../journal/secrets.ts";
import type { Matcher, MatchRule, Operand } from "../language/scenario.ts";
import type { Playing } from "./effects.ts";
import type { Check, Verdict } from "./result.ts";
import { isIndirect, numberOf, resolveValue, type Scope } from "./values.ts";

/** How much of a value is shown. */
const MOST_SHOWN = 300;
/** How many elements of a list are told of one by one. */
const MOST_TOLD = 20;

const ruleNames: ReadonlySet<string> = new Set([
  "atLeast",
  "atMost",
  "between",
  "oneOf",
  "not",
  "type",
  "contains",
  "startsWith",
  "length",
  "every",
  "some",
  "absent",
  "sum",
  "equals",
]);

/** Whether the object is a rule: its only key is the name of one. */
function isRule(matcher: unknown): matcher is MatchRule {
  if (!isPlainObject(matcher)) return false;
  const [name, ...others] = Object.keys(matcher);
  return name !== undefined && others.length === 0 && ruleNames.has(name);
}

/** `actual`: undefined where there is no such member. `about`: what it is called. */
export function* match(
  matcher: Matcher,
  actual: unknown,
  about: string,
  scope: Scope,
): Playing<readonly Check[]> {
  if (isIndirect(matcher)) {
    const expected = yield* resolveValue(matcher, scope);
    if (expected.kind === "unknown") return [notKnown(about, expected.why, actual)];
    return [same(expected.value, actual, about)];
  }
  if (isRule(matcher)) return yield* matchRule(matcher, actual, about, scope);
  if (Array.isArray(matcher)) return yield* matchList(matcher, actual, about, scope);
  if (typeof matcher === "object" && matcher !== null) {
    return yield* matchMembers(matcher as Readonly<Record<string, Matcher>>, actual, about, scope);
  }
  return [same(matcher, actual, about)];
}

function* matchMembers(
  members: Readonly<Record<string, Matcher>>,
  actual: unknown,
  about: string,
  scope: Scope,
): Playing<readonly Check[]> {
  if (typeof actual !== "object" || actual === null || Array.isArray(actual)) {
    return [check("broken", about, "an object", shownValue(actual))];
  }
  const checks: Check[] = [];
  for (const [name, matcher] of Object.entries(members)) {
    const own = Object.hasOwn(actual, name);
    const member = own ? (actual as Readonly<Record<string, unknown>>)[name] : undefined;
    checks.push(...(yield* match(matcher, member, `${about}.${name}`, scope)));
  }
  return checks;
}

function* matchList(
  matchers: readonly Matcher[],
  actual: unknown,
  about: string,
  scope: Scope,
): Playing<readonly Check[]> {
  if (!Array.isArray(actual)) return [check("broken", about, "a list", shownValue(actual))];
  const { length } = matchers;
  const checks = [same(length, actual.length, `${about}.length`)];
  for (const [index, matcher] of matchers.entries()) {
    if (index < actual.length) {
      checks.push(...(yield* match(matcher, actual[index], `${about}.${index}`, scope)));
    }
  }
  return checks;
}

function* matchRule(
  rule: MatchRule,
  actual: unknown,
  about: string,
  scope: Scope,
): Playing<readonly Check[]> {
  if ("atLeast" in rule) return [yield* bounded(rule.atLeast, undefined, actual, about, scope)];
  if ("atMost" in rule) return [yield* bounded(undefined, rule.atMost, actual, about, scope)];
  if ("between" in rule) return [yield* bounded(...rule.between, actual, about, scope)];
  if ("sum" in rule) {
    const expected = yield* numberOf(rule, scope);
    if (expected.kind === "unknown") return [notKnown(about, expected.why, actual)];
    return [same(expected.value, actual, about)];
  }
  if ("oneOf" in rule) return [yield* oneOf(rule.oneOf, actual, about, scope)];
  if ("not" in rule) {
    const checks = yield* match(rule.not, actual, about, scope);
    const verdict = opposite(verdictOf(checks));
    const why = verdict === "held" ? whyVacuous(rule.not, actual) : undefined;
    if (why !== undefined) return [notKnown(about, why, actual)];
    const expected = `not ${checks.map((one) => one.expected).join(", ")}`;
    return [{ ...check(verdict, about, expected, shownValue(actual)), why: checks[0]?.why }];
  }
  if ("every" in rule || "some" in rule) return yield* elements(rule, actual, about, scope);
  if ("length" in rule) {
    const length = typeof actual === "string" || Array.isArray(actual) ? actual.length : undefined;
    return yield* match(rule.length, length, `${about}.length`, scope);
  }
  return [plainRule(rule, actual, about)];
}

/** Why what isn't so says nothing: what isn't there is not anything. */
function whyVacuous(not: Matcher, actual: unknown): string | undefined {
  if (actual === undefined) return "it is not there";
  const isOfElements = isRule(not) && "some" in (not as object);
  return isOfElements && Array.isArray(actual) && actual.length === 0
    ? "the list is empty"
    : undefined;
}

/** A rule that needs nothing but the value. */
function plainRule(
  rule: Extract<
    MatchRule,
    | { type: unknown }
    | { contains: unknown }
    | { startsWith: unknown }
    | { absent: unknown }
    | { equals: unknown }
  >,
  actual: unknown,
  about: string,
): Check {
  const judged = (holds: boolean, expected: string): Check =>
    check(holds ? "held" : "broken", about, expected, shownValue(actual));
  if ("type" in rule) {
    const types = typesOf(actual);
    return judged(types.includes(rule.type), `of type ${rule.type}`);
  }
  if ("contains" in rule) {
    const holds = typeof actual === "string" && actual.includes(rule.contains);
    return judged(holds, `contains ${shownValue(rule.contains)}`);
  }
  if ("startsWith" in rule) {
    const holds = typeof actual === "string" && actual.startsWith(rule.startsWith);
    return judged(holds, `starts with ${shownValue(rule.startsWith)}`);
  }
  if ("absent" in rule) return judged(actual === undefined, "absent");
  return same(rule.equals, actual, about);
}

function* bounded(
  least: Operand | undefined,
  most: Operand | undefined,
  actual: unknown,
  about: string,
  scope: Scope,
): Playing<Check> {
  const low = least === undefined ? undefined : yield* numberOf(least, scope);
  const high = most === undefined ? undefined : yield* numberOf(most, scope);
  if (low?.kind === "unknown") return notKnown(about, low.why, actual);
  if (high?.kind === "unknown") return notKnown(about, high.why, actual);
  const expected = [low && `at least ${low.value}`, high && `at most ${high.value}`]
    .filter((part) => part !== undefined)
    .join(" and ");
  const holds =
    typeof actual === "number" &&
    (low === undefined || actual >= low.value) &&
    (high === undefined || actual <= high.value);
  return check(holds ? "held" : "broken", about, expected, shownValue(actual));
}

function* oneOf(
  matchers: readonly Matcher[],
  actual: unknown,
  about: string,
  scope: Scope,
): Playing<Check> {
  const expected: string[] = [];
  let why: string | undefined;
  for (const matcher of matchers) {
    const checks = yield* match(matcher, actual, about, scope);
    const verdict = verdictOf(checks);
    expected.push(...checks.map((one) => one.expected));
    if (verdict === "held") return check("held", about, expected.join(" or "), shownValue(actual));
    if (verdict === "unknown") why ??= checks.find((one) => one.why !== undefined)?.why;
  }
  if (why !== undefined) return notKnown(about, why, actual);
  return check("broken", about, `one of ${expected.join(", ")}`, shownValue(actual));
}

function* elements(
  rule: Extract<MatchRule, { every: unknown } | { some: unknown }>,
  actual: unknown,
  about: string,
  scope: Scope,
): Playing<readonly Check[]> {
  if (!Array.isArray(actual)) return [check("broken", about, "a list", shownValue(actual))];
  const all = "every" in rule;
  const broken: Check[] = [];
  let expected = "";
  let held = 0;
  for (const [index, element] of actual.entries()) {
    const checks = yield* match(all ? rule.every : rule.some, element, `${about}.${index}`, scope);
    expected = checks.map((one) => one.expected).join(", ");
    const verdict = verdictOf(checks);
    if (verdict === "unknown") return checks.filter((one) => one.verdict === "unknown");
    if (verdict === "held") held += 1;
    else broken.push(...checks.filter((one) => one.verdict === "broken"));
  }
  if (all && actual.length === 0) return [notKnown(about, "the list is empty", actual)];
  if (all && broken.length > 0) return broken.slice(0, MOST_TOLD);
  if (all || held > 0) return [check("held", about, expected, `${held} of ${actual.length}`)];
  return [check("broken", about, `one that is ${expected}`, shownValue(actual))];
}

/** Of checks that must all hold. */
export function verdictOf(checks: readonly Check[]): Verdict {
  if (checks.some(({ verdict }) => verdict === "broken")) return "broken";
  return checks.some(({ verdict }) => verdict === "unknown") ? "unknown" : "held";
}

function opposite(verdict: Verdict): Verdict {
  if (verdict === "unknown") return verdict;
  return verdict === "held" ? "broken" : "held";
}

function same(expected: unknown, actual: unknown, about: string): Check {
  const holds = isSame(expected, actual);
  return check(holds ? "held" : "broken", about, shownValue(expected), shownValue(actual));
}

/** Equal as JSON values: members in any order. */
function isSame(left: unknown, right: unknown): boolean {
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) {
    return left === right;
  }
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const names = Object.keys(left);
  return (
    names.length === Object.keys(right).length &&
    names.every(
      (name) =>
        Object.hasOwn(right, name) &&
        isSame(
          (left as Readonly<Record<string, unknown>>)[name],
          (right as Readonly<Record<string, unknown>>)[name],
        ),
    )
  );
}

function typesOf(value: unknown): readonly string[] {
  if (value === null) return ["null"];
  if (Array.isArray(value)) return ["array"];
  return Number.isInteger(value) ? ["integer", "number"] : [typeof value];
}

export function check(verdict: Verdict, about: string, expected: string, found: string): Check {
  return { verdict, about, expected, found };
}

export function notKnown(about: string, why: string, actual?: unknown): Check {
  return { verdict: "unknown", about, expected: "", found: shownValue(actual), why };
}

/** Fit to be shown: short, and without secrets. */
function shownValue(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = withoutSecrets(JSON.stringify(value) ?? String(value));
  return text.length <= MOST_SHOWN ? text : `${text.slice(0, MOST_SHOWN)}…`;
}

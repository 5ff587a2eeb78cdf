/** Compares a found value with a matcher, member by member. What can't be decided is `unknown`, never `passed`. */

import { formatList } from "../../../base/did-you-mean.ts";
import { isPlainObject } from "../../../base/input.ts";
import { shortened } from "../../../base/text.ts";
import { Inconclusive, inconclusive } from "../../../invariants/ensure.ts";
import { isRuleKey } from "../../scenario/matchers.ts";
import type { Matcher, MatchRule, Operand } from "../../scenario/types.ts";
import type { Check, Result } from "./result.ts";
import { isIndirect, numberOf, resolveValue, type Scope } from "./values.ts";

/** Longest text of a value in a check, in characters. */
const MAX_SHOWN = 300;
/** At most this many failed elements of a list are listed. */
const MAX_LISTED = 20;

/** Whether the matcher is a rule: an object whose only key is a rule's name. */
function isRule(matcher: unknown): matcher is MatchRule {
  if (!isPlainObject(matcher)) return false;
  const [name, ...others] = Object.keys(matcher);
  return name !== undefined && others.length === 0 && isRuleKey(name);
}

/** The found value. */
interface Subject {
  /** Undefined if the member is absent. */
  readonly actual: unknown;
  /** Its name in the checks. */
  readonly about: string;
  readonly scope: Scope;
}

type Checks = readonly Check[];

/** `actual`: undefined if the member is absent. `about`: its name in the checks. */
export function match(matcher: Matcher, actual: unknown, about: string, scope: Scope): Checks {
  try {
    return matchOrThrow(matcher, { actual, about, scope });
  } catch (thrown) {
    if (!(thrown instanceof Inconclusive)) throw thrown;
    return [unknownCheck(about, thrown.message, actual)];
  }
}

function matchOrThrow(matcher: Matcher, subject: Subject): Checks {
  if (isIndirect(matcher)) return [same(resolveValue(matcher, subject.scope), subject)];
  if (isRule(matcher)) return matchRule(matcher, subject);
  const { actual } = subject;
  if (Array.isArray(matcher)) {
    if (!Array.isArray(actual)) return [checkOf(false, "a list", subject)];
    return [
      same(matcher.length, partOf(subject, "length", actual.length)),
      ...matcher
        .slice(0, actual.length)
        .flatMap((one, index) => matchPart(one, subject, index, actual[index])),
    ];
  }
  if (typeof matcher !== "object" || matcher === null) return [same(matcher, subject)];
  if (typeof actual !== "object" || actual === null || Array.isArray(actual)) {
    return [checkOf(false, "an object", subject)];
  }
  const own: Readonly<Record<string, unknown>> = Object.assign(Object.create(null), actual);
  return Object.entries(matcher as Readonly<Record<string, Matcher>>).flatMap(([name, one]) =>
    matchPart(one, subject, name, own[name]),
  );
}

function partOf({ about, scope }: Subject, name: string | number, actual: unknown): Subject {
  return { actual, about: `${about}.${name}`, scope };
}

function matchPart(matcher: Matcher, of: Subject, name: string | number, part: unknown): Checks {
  const { actual, about, scope } = partOf(of, name, part);
  return match(matcher, actual, about, scope);
}

function matchRule(rule: MatchRule, subject: Subject): Checks {
  const { actual, about, scope } = subject;
  if ("atLeast" in rule) return [bounded(rule.atLeast, undefined, subject)];
  if ("atMost" in rule) return [bounded(undefined, rule.atMost, subject)];
  if ("between" in rule) return [bounded(...rule.between, subject)];
  if ("sum" in rule) return [same(numberOf(rule, scope), subject)];
  if ("oneOf" in rule) return [oneOf(rule.oneOf, subject)];
  if ("not" in rule) {
    const checks = match(rule.not, actual, about, scope);
    const result = opposite(resultOf(checks));
    const why = result === "passed" ? whyVacuous(rule.not, actual) : undefined;
    if (why !== undefined) return inconclusive(why);
    const expected = `not ${expectedBy(checks).join(", ")}`;
    return [{ ...check(result, about, expected, shownValue(actual)), why: checks[0]?.why }];
  }
  if ("every" in rule || "some" in rule) return elements(rule, subject);
  if ("length" in rule) {
    const length = typeof actual === "string" || Array.isArray(actual) ? actual.length : undefined;
    return matchPart(rule.length, subject, "length", length);
  }
  return [plainRule(rule, subject)];
}

/** Why a `not` would hold without saying anything: an absent value isn't equal to anything. */
function whyVacuous(not: Matcher, actual: unknown): string | undefined {
  if (actual === undefined) return "the value is absent";
  const isOfElements = isRule(not) && "some" in (not as object);
  return isOfElements && Array.isArray(actual) && actual.length === 0
    ? "the list is empty"
    : undefined;
}

/** Rules that look only at the value itself. */
function plainRule(
  rule: Extract<
    MatchRule,
    | { type: unknown }
    | { contains: unknown }
    | { startsWith: unknown }
    | { absent: unknown }
    | { equals: unknown }
  >,
  subject: Subject,
): Check {
  const { actual } = subject;
  if ("type" in rule) {
    return checkOf(typesOf(actual).includes(rule.type), `of type ${rule.type}`, subject);
  }
  if ("contains" in rule) {
    const holds = typeof actual === "string" && actual.includes(rule.contains);
    return checkOf(holds, `contains ${shownValue(rule.contains)}`, subject);
  }
  if ("startsWith" in rule) {
    const holds = typeof actual === "string" && actual.startsWith(rule.startsWith);
    return checkOf(holds, `starts with ${shownValue(rule.startsWith)}`, subject);
  }
  if ("absent" in rule) return checkOf(actual === undefined, "absent", subject);
  return same(rule.equals, subject);
}

function bounded(least: Operand | undefined, most: Operand | undefined, subject: Subject): Check {
  const { actual, scope } = subject;
  const low = least === undefined ? undefined : numberOf(least, scope);
  const high = most === undefined ? undefined : numberOf(most, scope);
  const expected = [
    ...(low === undefined ? [] : [`at least ${low}`]),
    ...(high === undefined ? [] : [`at most ${high}`]),
  ].join(" and ");
  const holds =
    typeof actual === "number" &&
    (low === undefined || actual >= low) &&
    (high === undefined || actual <= high);
  return checkOf(holds, expected, subject);
}

function oneOf(matchers: readonly Matcher[], subject: Subject): Check {
  const { actual, about, scope } = subject;
  const expected: string[] = [];
  let why: string | undefined;
  for (const matcher of matchers) {
    const checks = match(matcher, actual, about, scope);
    const result = resultOf(checks);
    expected.push(...expectedBy(checks));
    if (result === "passed") return checkOf(true, expected.join(" or "), subject);
    if (result === "undecided") why ??= checks.find((one) => one.why !== undefined)?.why;
  }
  return why === undefined
    ? checkOf(false, `one of ${expected.join(", ")}`, subject)
    : inconclusive(why);
}

function elements(
  rule: Extract<MatchRule, { every: unknown } | { some: unknown }>,
  subject: Subject,
): Checks {
  const { actual, about } = subject;
  if (!Array.isArray(actual)) return [checkOf(false, "a list", subject)];
  const all = "every" in rule;
  const failed: Check[] = [];
  let expected = "";
  let passed = 0;
  for (const [index, element] of actual.entries()) {
    const checks = matchPart(all ? rule.every : rule.some, subject, index, element);
    expected = expectedBy(checks).join(", ");
    const result = resultOf(checks);
    if (result === "undecided") return checks.filter((one) => one.result === "undecided");
    if (result === "passed") passed += 1;
    else failed.push(...checks.filter((one) => one.result === "failed"));
  }
  if (all && actual.length === 0) return inconclusive("the list is empty");
  if (all && failed.length > 0) return failed.slice(0, MAX_LISTED);
  if (all || passed > 0) return [check("passed", about, expected, `${passed} of ${actual.length}`)];
  return [checkOf(false, `one that is ${expected}`, subject)];
}

function expectedBy(checks: Checks): readonly string[] {
  return checks.map((one) => one.expected);
}

/** The result of what must all hold. */
export function resultOf(checks: readonly Pick<Check, "result">[]): Result {
  if (checks.some(({ result }) => result === "failed")) return "failed";
  return checks.some(({ result }) => result === "undecided") ? "undecided" : "passed";
}

function opposite(result: Result): Result {
  if (result === "undecided") return result;
  return result === "passed" ? "failed" : "passed";
}

function same(expected: unknown, subject: Subject): Check {
  return checkOf(isSame(expected, subject.actual), shownValue(expected), subject);
}

/** Equal as JSON values: members in any order. */
function isSame(left: unknown, right: unknown): boolean {
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) {
    return left === right;
  }
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const members = Object.entries(left);
  const others = new Map(Object.entries(right));
  return (
    members.length === others.size &&
    members.every(([name, member]) => others.has(name) && isSame(member, others.get(name)))
  );
}

function typesOf(value: unknown): readonly string[] {
  if (value === null) return ["null"];
  if (Array.isArray(value)) return ["array"];
  return Number.isInteger(value) ? ["integer", "number"] : [typeof value];
}

function checkOf(holds: boolean, expected: string, { about, actual }: Subject): Check {
  return check(holds ? "passed" : "failed", about, expected, shownValue(actual));
}

export function check(result: Result, about: string, expected: string, found: string): Check {
  return { result, about, expected, found };
}

export function unknownCheck(about: string, why: string, actual?: unknown): Check {
  return { result: "undecided", about, expected: "", found: shownValue(actual), why };
}

/** "stats.clicks: expected 1, found 2", or "H1 is failed: …". */
export function checkInWords(check: Check): string {
  const { result, about, invariant, expected, found } = check;
  if (invariant !== undefined && result === "failed") return brokenInWords(invariant, found);
  const rests = restsInWords(check);
  return `${about}: expected ${expected}, found ${found}${rests && `; it ${rests}`}`;
}

/** "rests on dedup.window=30m: say what …"; empty if no choice is known to matter. */
export function restsInWords({ restsOn = [] }: Check): string {
  if (restsOn.length === 0) return "";
  return `rests on ${formatList(restsOn)}: say what the service chose with --assume`;
}

export function brokenInWords(invariant: string, why: string): string {
  return `${invariant} is failed: ${why}`;
}

/** The value as shown in a check: short, as JSON. */
function shownValue(value: unknown): string {
  if (value === undefined) return "nothing";
  return shortened(JSON.stringify(value) ?? String(value), MAX_SHOWN);
}

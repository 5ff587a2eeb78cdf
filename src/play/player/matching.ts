/** Compares a found value with a matcher, member by member. What can't be decided is `undecided`, never `passed`. */

import { formatList } from "../../base/did-you-mean.ts";
import { isPlainObject } from "../../base/input.ts";
import { shortened } from "../../base/text.ts";
import { Inconclusive, inconclusive } from "../../invariants/ensure.ts";
import { isIndirect } from "../scenario/matchers.ts";
import type { Matcher, MatchRule, Operand } from "../scenario/types.ts";
import type { Check, Result } from "./result.ts";
import { numberOf, resolveValue, type Scope } from "./values.ts";

/** Longest text of a value in a check, in characters. */
const MAX_SHOWN = 300;
/** At most this many failed elements of a list are listed. */
const MAX_LISTED = 20;

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
    return [undecidedCheck(about, thrown.message, actual)];
  }
}

function matchOrThrow(matcher: Matcher, subject: Subject): Checks {
  if (isIndirect(matcher)) return [same(resolveValue(matcher, subject.scope), subject)];
  const judge = judgeOf(matcher);
  if (judge !== undefined) return judge(subject);
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

type RuleKey = MatchRule extends infer Rule ? (Rule extends unknown ? keyof Rule : never) : never;
type Wanted<Key extends RuleKey> = Extract<MatchRule, { readonly [One in Key]: unknown }>[Key];

/** What each rule says of a value. */
const rules: { readonly [Key in RuleKey]: (wanted: Wanted<Key>, subject: Subject) => Checks } = {
  atLeast: (least, subject) => [bounded(least, undefined, subject)],
  atMost: (most, subject) => [bounded(undefined, most, subject)],
  between: ([least, most], subject) => [bounded(least, most, subject)],
  sum: (sum, subject) => [same(numberOf({ sum }, subject.scope), subject)],
  equals: (value, subject) => [same(value, subject)],
  absent: (_, subject) => [checkOf(subject.actual === undefined, "absent", subject)],
  type: (type, subject) => [
    checkOf(typesOf(subject.actual).includes(type), `of type ${type}`, subject),
  ],
  contains(text, subject) {
    const holds = typeof subject.actual === "string" && subject.actual.includes(text);
    return [checkOf(holds, `contains ${shownValue(text)}`, subject)];
  },
  startsWith(text, subject) {
    const holds = typeof subject.actual === "string" && subject.actual.startsWith(text);
    return [checkOf(holds, `starts with ${shownValue(text)}`, subject)];
  },
  length(matcher, subject) {
    const { actual } = subject;
    const length = typeof actual === "string" || Array.isArray(actual) ? actual.length : undefined;
    return matchPart(matcher, subject, "length", length);
  },
  not(matcher, { actual, about, scope }) {
    const checks = match(matcher, actual, about, scope);
    const result = opposite(resultOf(checks));
    const why = result === "passed" ? whyVacuous(matcher, actual) : undefined;
    if (why !== undefined) return inconclusive(why);
    const expected = `not ${expectedBy(checks)}`;
    return [{ result, about, expected, found: shownValue(actual), why: checks[0]?.why }];
  },
  oneOf(matchers, subject) {
    const { actual, about, scope } = subject;
    const tried = matchers.map((matcher) => match(matcher, actual, about, scope));
    const fitting = tried.findIndex((checks) => resultOf(checks) === "passed");
    if (fitting !== -1) {
      const expected = tried.slice(0, fitting + 1).map(expectedBy);
      return [checkOf(true, expected.join(" or "), subject)];
    }
    const why = tried.flat().find((one) => one.result === "undecided")?.why;
    if (why !== undefined) return inconclusive(why);
    return [checkOf(false, `one of ${tried.map(expectedBy).join(", ")}`, subject)];
  },
  every(matcher, subject) {
    const { actual, about } = subject;
    if (!Array.isArray(actual)) return [checkOf(false, "a list", subject)];
    if (actual.length === 0) return inconclusive("the list is empty");
    const all = elementsOf(actual, matcher, subject);
    const wrong = all.flat().filter(({ result }) => result !== "passed");
    if (wrong.length > 0) return wrong.slice(0, MAX_LISTED);
    const found = `${actual.length} of ${actual.length}`;
    return [check(true, about, expectedBy(all.at(-1) ?? []), found)];
  },
  some(matcher, subject) {
    const { actual, about } = subject;
    if (!Array.isArray(actual)) return [checkOf(false, "a list", subject)];
    const all = elementsOf(actual, matcher, subject);
    const undecided = all.flat().find(({ result }) => result === "undecided");
    if (undecided !== undefined) return [undecided];
    const fitting = all.filter((checks) => resultOf(checks) === "passed").length;
    const expected = expectedBy(all.at(-1) ?? matchPart(matcher, subject, 0, undefined));
    if (fitting > 0) return [check(true, about, expected, `${fitting} of ${actual.length}`)];
    return [checkOf(false, `one that is ${expected}`, subject)];
  },
};

/** The rule's judge, if the matcher is a rule: an object whose only key is a rule's name. */
function judgeOf(matcher: unknown): ((subject: Subject) => Checks) | undefined {
  const [[key = "", wanted] = [], ...others] = isPlainObject(matcher)
    ? Object.entries(matcher)
    : [];
  if (others.length > 0 || !Object.hasOwn(rules, key)) return undefined;
  // The cast is safe: the judge was looked up by the rule's key.
  const judge = rules[key as RuleKey] as (wanted: unknown, subject: Subject) => Checks;
  return (subject) => judge(wanted, subject);
}

/** Why a `not` would pass without saying anything: an absent value isn't equal to anything. */
function whyVacuous(not: Matcher, actual: unknown): string | undefined {
  if (actual === undefined) return "the value is absent";
  const isOfElements = isPlainObject(not) && Object.keys(not).join() === "some";
  return isOfElements && Array.isArray(actual) && actual.length === 0
    ? "the list is empty"
    : undefined;
}

function bounded(least: Operand | undefined, most: Operand | undefined, subject: Subject): Check {
  const { actual, scope } = subject;
  const [low, high] = [least, most].map((bound) =>
    bound === undefined ? undefined : numberOf(bound, scope),
  );
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

function elementsOf(
  actual: readonly unknown[],
  matcher: Matcher,
  subject: Subject,
): readonly Checks[] {
  return actual.map((element, index) => matchPart(matcher, subject, index, element));
}

function expectedBy(checks: Checks): string {
  return checks.map((one) => one.expected).join(", ");
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
  return check(holds, about, expected, shownValue(actual));
}

export function check(holds: boolean, about: string, expected: string, found: string): Check {
  return { result: holds ? "passed" : "failed", about, expected, found };
}

export function undecidedCheck(about: string, why: string, actual?: unknown): Check {
  return { result: "undecided", about, expected: "", found: shownValue(actual), why };
}

/** "stats.clicks: expected 1, found 2", or "M1: …". */
export function checkInWords(check: Check): string {
  const { result, about, invariant, expected, found } = check;
  if (invariant !== undefined && result === "failed") return invariantInWords(invariant, found);
  const rests = restsInWords(check);
  return `${about}: expected ${expected}, found ${found}${rests && `; it ${rests}`}`;
}

/** "rests on dedup.window=30m: say what …"; empty if no choice is known to matter. */
export function restsInWords({ restsOn = [] }: Check): string {
  if (restsOn.length === 0) return "";
  return `rests on ${formatList(restsOn)}: say what the service chose with --assume`;
}

export function invariantInWords(invariant: string, why: string): string {
  return `${invariant}: ${why}`;
}

/** The value as shown in a check: short, as JSON. */
function shownValue(value: unknown): string {
  if (value === undefined) return "nothing";
  return shortened(JSON.stringify(value) ?? String(value), MAX_SHOWN);
}

/** Compares a found value with a matcher, member by member. What can't be decided is `undecided`, never `passed`. */

import { isDeepStrictEqual } from "node:util";
import { formatList } from "../../base/did-you-mean.ts";
import { isPlainObject } from "../../base/input.ts";
import { shortened } from "../../base/text.ts";
import { Inconclusive, inconclusive } from "../../invariants/ensure.ts";
import { isIndirect } from "../scenario/meanings.ts";
import type { Matcher, MatchRule, Operand } from "../scenario/types.ts";
import type { Check, Result } from "./result.ts";
import { numberOf, resolveValue, type Scope } from "./values.ts";

/** Longest text of a value in a check, in characters. */
const MAX_SHOWN = 300;

/** What is compared. */
export interface Subject {
  /** Undefined if the member is absent. */
  readonly actual: unknown;
  /** Its name in the checks. */
  readonly about: string;
  readonly scope: Scope;
}

type Checks = readonly Check[];

export function match(matcher: Matcher, subject: Subject): Checks {
  try {
    return matchOrThrow(matcher, subject);
  } catch (thrown) {
    if (!(thrown instanceof Inconclusive)) throw thrown;
    return [undecidedCheck(subject, thrown.message)];
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
        .flatMap((one, index) => match(one, partOf(subject, index, actual[index]))),
    ];
  }
  if (typeof matcher !== "object" || matcher === null) return [same(matcher, subject)];
  if (typeof actual !== "object" || actual === null || Array.isArray(actual)) {
    return [checkOf(false, "an object", subject)];
  }
  const own = new Map<string, unknown>(Object.entries(actual));
  return Object.entries(matcher as Readonly<Record<string, Matcher>>).flatMap(([name, one]) =>
    match(one, partOf(subject, name, own.get(name))),
  );
}

function partOf({ about, scope }: Subject, name: string | number, actual: unknown): Subject {
  return { actual, about: `${about}.${name}`, scope };
}

type RuleKey = MatchRule extends infer Rule ? (Rule extends unknown ? keyof Rule : never) : never;
type Wanted<Key extends RuleKey> = Extract<MatchRule, { readonly [One in Key]: unknown }>[Key];

/** What each rule says of a value. */
const rules: { readonly [Key in RuleKey]: (wanted: Wanted<Key>, subject: Subject) => Checks } = {
  atLeast: (least, subject) => [bounded(least, Number.POSITIVE_INFINITY, subject)],
  atMost: (most, subject) => [bounded(Number.NEGATIVE_INFINITY, most, subject)],
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
    return match(matcher, partOf(subject, "length", length));
  },
  not(matcher, subject) {
    const checks = match(matcher, subject);
    const why = checks.find(({ result }) => result === "undecided")?.why;
    const holds = resultOf(checks) === "failed";
    if (holds && subject.actual === undefined) return inconclusive("the value is absent");
    if (holds && isDeepStrictEqual(subject.actual, []) && Object.hasOwn(Object(matcher), "some"))
      return inconclusive("the list is empty");
    if (!holds && why !== undefined) return inconclusive(why);
    return [checkOf(holds, `not ${expectedBy(checks)}`, subject)];
  },
  oneOf(matchers, subject) {
    const tried = matchers.map((matcher) => match(matcher, subject));
    return [anyOf(tried, `one of ${tried.map(expectedBy).join(", ")}`, subject)];
  },
  every(matcher, subject) {
    const all = elementsOf(matcher, subject);
    if (all.length === 0) return inconclusive("the list is empty");
    const wrong = all.flat().filter(({ result }) => result !== "passed");
    return wrong.length > 0 ? wrong : [checkOf(true, `all ${expectedBy(all[0] ?? [])}`, subject)];
  },
  some(matcher, subject) {
    const all = elementsOf(matcher, subject);
    const expected = expectedBy(all.at(-1) ?? match(matcher, partOf(subject, 0, undefined)));
    return [anyOf(all, `one that is ${expected}`, subject)];
  },
};

/** One of these must hold. */
function anyOf(tried: readonly Checks[], expected: string, subject: Subject): Check {
  const holds = tried.some((checks) => resultOf(checks) === "passed");
  const why = tried.flat().find(({ result }) => result === "undecided")?.why;
  if (!holds && why !== undefined) return inconclusive(why);
  return checkOf(holds, expected, subject);
}

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

function bounded(least: Operand, most: Operand, subject: Subject): Check {
  const { actual, scope } = subject;
  const [low, high] = [numberOf(least, scope), numberOf(most, scope)];
  const bounds = [
    ...(Number.isFinite(low) ? [`at least ${low}`] : []),
    ...(Number.isFinite(high) ? [`at most ${high}`] : []),
  ];
  const holds = typeof actual === "number" && low <= actual && actual <= high;
  return checkOf(holds, bounds.join(" and "), subject);
}

/** The checks of each element of a list. */
function elementsOf(matcher: Matcher, subject: Subject): readonly Checks[] {
  const { actual } = subject;
  if (!Array.isArray(actual)) return [[checkOf(false, "a list", subject)]];
  return actual.map((element, index) => match(matcher, partOf(subject, index, element)));
}

function expectedBy(checks: Checks): string {
  return checks.map((one) => one.expected).join(", ");
}

/** The result of what must all hold. */
export function resultOf(checks: readonly Pick<Check, "result">[]): Result {
  if (checks.some(({ result }) => result === "failed")) return "failed";
  return checks.some(({ result }) => result === "undecided") ? "undecided" : "passed";
}

function same(expected: unknown, subject: Subject): Check {
  const { actual } = subject;
  // 0 and -0 are one number in JSON.
  const holds = expected === actual || isDeepStrictEqual(expected, actual);
  return checkOf(holds, shownValue(expected), subject);
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

export function undecidedCheck({ about, actual }: Omit<Subject, "scope">, why: string): Check {
  return { result: "undecided", about, expected: "", found: shownValue(actual), why };
}

/** "stats.clicks: expected 1, found 2", or "M1: …". */
export function checkInWords(check: Check): string {
  const { result, about, invariant, expected, found } = check;
  if (invariant !== undefined && result === "failed") return `${invariant}: ${found}`;
  const rests = restsInWords(check);
  return `${about}: expected ${expected}, found ${found}${rests && `; it ${rests}`}`;
}

/** "rests on dedup.window=30m: say what …"; empty if no choice is known to matter. */
export function restsInWords({ restsOn = [] }: Check): string {
  if (restsOn.length === 0) return "";
  return `rests on ${formatList(restsOn)}: say what the service chose with --assume`;
}

/** The value as shown in a check: short, as JSON. */
function shownValue(value: unknown): string {
  if (value === undefined) return "nothing";
  return shortened(JSON.stringify(value) ?? String(value), MAX_SHOWN);
}

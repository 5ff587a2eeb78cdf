/** Words in which the scenarios are told: functions and constants that return parts of them. This is no scenario. */

import type {
  AnswerExpectation,
  Expectation,
  Matcher,
  MatchRule,
  Operand,
  Reference,
  Scenario,
  Step,
} from "../src/scenario.ts";

type Assumptions = NonNullable<Scenario["assumptions"]>;
type RequestStep = Extract<Step, { readonly click?: unknown }>;
type Rest = Omit<RequestStep, "impression" | "click" | "stats">;

export function ref(path: string): Reference {
  return { ref: path };
}

/** The sum of what these paths lead to. */
export function sumOf(...paths: readonly string[]): { readonly sum: readonly Operand[] } {
  return { sum: paths.map(ref) };
}

/** The sum of what these impressions and clicks were credited. */
export function creditOf(...answers: readonly string[]): { readonly sum: readonly Operand[] } {
  return sumOf(...answers.map((answer) => `${answer}.revenue_credited_inr`));
}

/** Equal but for rounding. */
export function around(amounts: readonly Operand[], tolerance: number): MatchRule {
  return { between: [{ sum: [...amounts, -tolerance] }, { sum: [...amounts, tolerance] }] };
}

/** A success with this body. */
export function ok(body: Matcher): AnswerExpectation {
  return { status: 200, body };
}

/** Recorded, and more than nothing was earned. */
export const credited = ok({ ok: true, revenue_credited_inr: { atLeast: 0.000001 } });

/** Recorded before: nothing is earned. */
export const uncredited = ok({ ok: true, revenue_credited_inr: 0 });

/** The impression that was answered before, and nothing is earned. */
export function sameAs(answer: string): AnswerExpectation {
  return ok({ impression_id: ref(`${answer}.impression_id`), revenue_credited_inr: 0 });
}

/** Another impression than the one that was answered before. It earns, too. */
export function newBeside(answer: string): AnswerExpectation {
  const impression_id = { not: ref(`${answer}.impression_id`) };
  return ok({ impression_id, revenue_credited_inr: { atLeast: 0.000001 } });
}

/** An error of adsim's. */
export function error(status: number, code: string, parameter?: string): AnswerExpectation {
  return { status, body: { code, ...(parameter !== undefined && { parameter }) } };
}

/** Any service's refusal: it isn't a success, and the service hasn't failed. */
export const refusal: AnswerExpectation = { status: { between: [300, 499] } };

/** The service hasn't failed, whatever it makes of a request that it can't carry out. */
export const noFailure: AnswerExpectation = { status: { atMost: 499 } };

/** Over the limit. */
export function overLimit(retryAfter: string, status = 429): AnswerExpectation {
  return { status, headers: { "retry-after": retryAfter, "x-ratelimit-remaining": "0" } };
}

/** A success that leaves so many requests of the limit. */
export function leaves(remaining: number): AnswerExpectation {
  return { status: 200, headers: { "x-ratelimit-remaining": String(remaining) } };
}

export function clickOn(answer: string, rest: Rest = {}): RequestStep {
  return { click: { impression_id: ref(`${answer}.impression_id`) }, ...rest };
}

/** Asks for stats so many times, one after the other. */
export function askStats(times: number, ok: number = times): Step {
  return { repeat: { times, steps: [{ stats: {} }] }, expect: { ok, refused: times - ok } };
}

/** What the service reports of a period. Asking spends no quota. */
export function report(
  [from, to]: readonly [from: string, to?: string],
  is: Extract<Expectation, { readonly stats: unknown }>["is"],
  publisher: number | string = 0,
): Expectation {
  return { publisher, stats: { from, ...(to !== undefined && { to }) }, is };
}

type Rule = NonNullable<Scenario["faults"]>[number];

/** A fault rule for the operation's requests of these numbers. */
export function rule(
  id: string,
  operation: "impression" | "click" | "stats" | "surfaces",
  nth: number | number[],
  verdict: Rule["verdict"],
): Rule {
  return { id, match: { operation, nth }, verdict };
}

/** A publisher signs up with these surfaces, each with one price for a thousand impressions. */
export function signUp(as: string, prices: Readonly<Record<string, number>>): Step {
  const surfaces = Object.entries(prices).map(([name, price]) => ({
    name,
    cpmRange: [price, price] as const,
  }));
  return { signUp: { surfaces }, as };
}

/** Makes another choice from here on. */
export function assume<Key extends keyof Assumptions>(
  key: Key,
  choice: Assumptions[Key],
  note?: string,
): Step {
  return { assume: { [key]: choice }, ...(note !== undefined && { note }) };
}

/** Has an event in the last millisecond of this day of January, and two in the first of the next. */
export function aroundMidnight(day: number): Step[] {
  const today = (end: number): Step => ({
    stats: {},
    note: "The default period ends today.",
    expect: { status: 200, body: { period: { from: `2025-12-${end + 1}`, to: `2026-01-${end}` } } },
  });
  return [
    { impression: {}, as: "last", expect: credited },
    today(day),
    { advance: "1ms" },
    { impression: {}, as: "first", expect: credited },
    clickOn("last", { as: "click", note: "It belongs to the day of the click.", expect: credited }),
    today(day + 1),
  ];
}

/** Reads the stats before and after these steps. `is`: what they are afterwards. */
export function statsAround(is: Record<string, Matcher>, steps: readonly Step[]): Step[] {
  return [
    { stats: {}, as: "before", expect: { status: 200 } },
    ...steps,
    { stats: { from: ref("before.period.from") }, expect: { status: 200, body: is } },
  ];
}

/** As many as before these steps, and so many more. */
export function grown(figure: "impressions" | "clicks", by: number): MatchRule {
  return { sum: [ref(`before.${figure}`), by] };
}

/** The same, or as before: services may count what happens today from tomorrow on. */
export function perhapsGrown(figure: "impressions" | "clicks", by: number): MatchRule {
  return { oneOf: [ref(`before.${figure}`), grown(figure, by)] };
}

/** Nothing was recorded. */
export const unchanged = {
  impressions: ref("before.impressions"),
  clicks: ref("before.clicks"),
  revenue_inr: ref("before.revenue_inr"),
} as const;

/** With this key, each endpoint refuses what it is asked. */
export function strangersWith(key: string | null): Step[] {
  return [
    { key, impression: { session_id: "stranger" }, expect: refusal },
    { key, click: { impression_id: "stranger" }, expect: refusal },
    { key, stats: {}, expect: refusal },
    { key, surfaces: {}, expect: refusal },
    { key, payouts: {}, expect: refusal },
  ];
}

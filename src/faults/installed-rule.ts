/** One rule at work: it numbers the requests that it looks at, and picks some of them out. */

import { formatInstant, LAST_INSTANT_MS, parseInstant } from "../base/calendar.ts";
import { InputError } from "../base/input.ts";
import { deriveKey, drawBetween, type Key, subKey } from "../base/random.ts";
import { delayMsOf } from "./delay.ts";
import { type Plan, planOf } from "./plan.ts";
import {
  type FaultFunction,
  type FaultMatch,
  type FaultRequest,
  type FaultRule,
  parseVerdict,
} from "./rule.ts";
import type { Verdict, VerdictKind } from "./verdict.ts";

/** A rule in force. */
export interface InstalledRule {
  readonly id: string;
  /** Undefined for a function. */
  readonly match: FaultMatch | undefined;
  /** Undefined for a function. */
  readonly verdict: Verdict | undefined;
  /** When it ends, in ISO 8601 on the world's clock. */
  readonly expires: string | undefined;
  /** How many requests it has looked at: those that it numbered. */
  readonly seen: number;
  /** How many requests it decided on. */
  readonly fired: number;
}

/** A request that a rule picked out. */
export interface Fired {
  readonly rule: string;
  readonly kind: VerdictKind;
  readonly delayMs: number;
  readonly plan: Plan;
}

/** What rules are asked about. `caller`: the ordinal of the publisher whose key was sent; -1 without a valid key. */
export interface Arrived extends Omit<FaultRequest, "number"> {
  readonly caller: number;
}

/** What a rule's counts are kept by: a publisher's ordinal, or this. */
export const WHOLE_WORLD = -2;

export interface Rule {
  readonly id: string;
  readonly does: { readonly kind: "data"; readonly rule: FaultRule } | FunctionRule;
  readonly expiresMs: number;
  readonly fires: Key;
  readonly delays: Key;
  readonly noise: Key;
  readonly seen: Map<number, number>;
  readonly fired: Map<number, number>;
}

interface FunctionRule {
  readonly kind: "function";
  readonly decide: FaultFunction;
}

/** Says why a verdict can't be carried out; undefined where it can. */
export type Refusal = (verdict: Verdict) => string | undefined;

export function ruleOf(seed: string, id: string, does: Rule["does"], expiresMs: number): Rule {
  return {
    id,
    does,
    // A world's time doesn't go further: until then is for ever.
    expiresMs: expiresMs <= LAST_INSTANT_MS ? expiresMs : Number.POSITIVE_INFINITY,
    fires: deriveKey(seed, "fault", id, "fires"),
    delays: deriveKey(seed, "fault", id, "delays"),
    noise: deriveKey(seed, "fault", id, "noise"),
    seen: new Map(),
    fired: new Map(),
  };
}

/** Numbers a request that the rule looks at. */
export function numberOf({ does, seen }: Rule, arrived: Arrived): number | undefined {
  if (does.kind === "data" && !looksAt(does.rule.match, arrived)) return undefined;
  const counter = counterOf(does, arrived);
  const number = (seen.get(counter) ?? 0) + 1;
  seen.set(counter, number);
  return number;
}

function counterOf(does: Rule["does"], { caller }: Arrived): number {
  return does.kind === "data" && does.rule.match?.per === "world" ? WHOLE_WORLD : caller;
}

function looksAt(match: FaultMatch = {}, arrived: Arrived): boolean {
  const { operation, publisher, surface, from, until } = match;
  return (
    (from === undefined || arrived.nowMs >= (parseInstant(from) ?? 0)) &&
    (until === undefined || arrived.nowMs < (parseInstant(until) ?? 0)) &&
    isOneOf(operation, arrived.operation) &&
    isOneOf(publisher, arrived.publisher) &&
    // Last, for it has to be read from the body.
    (surface === undefined || isOneOf(surface, arrived.surface))
  );
}

function isOneOf<Item extends string>(
  wanted: Item | readonly Item[] | undefined,
  found: Item | undefined,
): boolean {
  if (wanted === undefined) return true;
  return found !== undefined && (Array.isArray(wanted) ? wanted.includes(found) : wanted === found);
}

/** What becomes of a request with its number, if the rule picks it out. */
export function fire(
  rule: Rule,
  arrived: Arrived,
  number: number,
  refusal: Refusal,
): Fired | undefined {
  const { id, does, delays, noise, fired } = rule;
  const counter = counterOf(does, arrived);
  const verdict = verdictOf(rule, arrived, number, counter, refusal);
  if (verdict === undefined) return undefined;
  fired.set(counter, (fired.get(counter) ?? 0) + 1);
  return {
    rule: id,
    kind: verdict.kind,
    delayMs: delayMsOf(verdict.delay, streamOf(delays, counter), number),
    plan: planOf(verdict, { key: streamOf(noise, counter), ordinal: number }),
  };
}

function verdictOf(
  { id, does, fires, fired }: Rule,
  arrived: Arrived,
  number: number,
  counter: number,
  refusal: Refusal,
): Verdict | undefined {
  if (does.kind === "data") {
    const { match = {}, verdict } = does.rule;
    const isLeft = (fired.get(counter) ?? 0) < (match.times ?? Number.POSITIVE_INFINITY);
    return isLeft && isChosen(match, number, streamOf(fires, counter)) ? verdict : undefined;
  }
  const verdict = parseVerdict(id, does.decide(asSeen(arrived, number)));
  const why = verdict && refusal(verdict);
  if (why === undefined) return verdict;
  throw new InputError(`faults.${id}`, `returned a verdict that ${why}`, "conflict");
}

const MILLION = 1_000_000;

function isChosen({ nth, every, share }: FaultMatch, number: number, key: Key): boolean {
  return (
    (nth === undefined || (typeof nth === "number" ? nth === number : nth.includes(number))) &&
    (every === undefined || number % every === 0) &&
    (share === undefined || drawBetween(key, number, 1, MILLION) <= Math.round(share * MILLION))
  );
}

/** The draws for one publisher, from -2 on. */
function streamOf(key: Key, counter: number): Key {
  return subKey(key, counter - WHOLE_WORLD);
}

function asSeen(arrived: Arrived, number: number): FaultRequest {
  const { nowMs, method, path, query, headers, body, operation, publisher, surface } = arrived;
  return { number, nowMs, method, path, query, headers, body, operation, publisher, surface };
}

/** A rule as users see it. */
export function installed({ id, does, expiresMs, seen, fired }: Rule): InstalledRule {
  return {
    id,
    match: does.kind === "data" ? (does.rule.match ?? {}) : undefined,
    verdict: does.kind === "data" ? does.rule.verdict : undefined,
    expires: Number.isFinite(expiresMs) ? formatInstant(expiresMs) : undefined,
    seen: sum(seen),
    fired: sum(fired),
  };
}

function sum(counts: ReadonlyMap<number, number>): number {
  let total = 0;
  for (const count of counts.values()) total += count;
  return total;
}

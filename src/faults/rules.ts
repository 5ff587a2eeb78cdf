/**
 * A world's fault rules as plain data, and what they decide. Rules number the requests that they look at, and choose by number.
 * They draw only from the seed, their id, the publisher and the number, so that they do the same on every transport.
 */

import { parseInstant } from "../base/calendar.ts";
import { durationMs } from "../base/duration.ts";
import { InputError } from "../base/input.ts";
import { deriveKey, drawFraction, type Key, subKey } from "../base/random.ts";
import { lenientText } from "../base/text.ts";
import { type Plan, planOf } from "./plan.ts";
import {
  type FaultFunction,
  type FaultMatch,
  type FaultRequest,
  type FaultRule,
  parseVerdict,
} from "./rule.ts";
import { delayMsOf, type Verdict, type VerdictKind } from "./verdict.ts";

/** The rules of a world. It is JSON unless a rule is a function. */
export interface FaultsState {
  /** How many rules were added so far. */
  added: number;
  /** In the order in which they are asked. */
  rules: readonly RuleState[];
}

export interface RuleState {
  readonly id: string;
  /** Never changes, so copies of the state share it. */
  readonly rule: FaultRule | FaultFunction;
  /** When it ends, in milliseconds since 1970; null if it doesn't end. */
  readonly expiresMs: number | null;
  /** How many requests it has looked at and numbered. */
  readonly seen: Counts;
  /** How many requests it decided on. */
  readonly fired: Counts;
}

/** By caller. */
type Counts = Record<number, number>;

/** The request that rules are asked about. `caller` is the ordinal of the key's publisher or {@link UNAUTHENTICATED_CALLER}. */
export interface ArrivedRequest extends Omit<FaultRequest, "number" | "body"> {
  readonly body: string | Uint8Array;
  readonly caller: number;
}

/** All requests without a valid key count as one caller. */
export const UNAUTHENTICATED_CALLER = -1;
/** Stands for all callers if a rule numbers their requests together. */
const ALL_CALLERS = -2;

/** A rule's decision on a request. */
export interface FiredRule {
  readonly rule: string;
  readonly kind: VerdictKind;
  readonly delayMs: number;
  readonly verdict: Verdict;
  readonly plan: Plan;
}

/** The rules of a world at work. */
export interface Rules {
  isEmpty(): boolean;
  /** The decision of the first rule that chooses the request. */
  decide(arrived: ArrivedRequest): FiredRule | undefined;
}

export function createRules(seed: string, state: FaultsState): Rules {
  return {
    isEmpty: () => state.rules.length === 0,
    decide(arrived) {
      const asked = dropExpired(state, arrived.nowMs).filter(({ rule }) => looksAt(rule, arrived));
      // Every rule counts the request, so that its numbers don't depend on the rules before it.
      for (const { rule, seen } of asked) increment(seen, counterOf(rule, arrived));
      for (const one of asked) {
        const fired = fire(seed, one, arrived);
        if (fired !== undefined) return fired;
      }
      return undefined;
    },
  };
}

/** Drops expired rules. @returns the others. */
export function dropExpired(state: FaultsState, nowMs: number): readonly RuleState[] {
  const isOver = ({ expiresMs }: RuleState): boolean => expiresMs !== null && expiresMs <= nowMs;
  if (state.rules.some(isOver)) state.rules = state.rules.filter((rule) => !isOver(rule));
  return state.rules;
}

/** Returns a function to ask in place of the rule with this id. */
export type FunctionStandIn = (id: string, decide: FaultFunction) => FaultFunction;

/** A copy with counts of its own. It keeps functions, or what `standIn` puts in their place. */
export function copyOfFaults(faults: FaultsState, standIn?: FunctionStandIn): FaultsState {
  const rules = faults.rules.map(({ id, rule, expiresMs, seen, fired }) => {
    const asked = typeof rule === "function" && standIn ? standIn(id, rule) : rule;
    return { id, rule: asked, expiresMs, seen: { ...seen }, fired: { ...fired } };
  });
  return { added: faults.added, rules };
}

/** A copy for a snapshot. @throws InputError for a rule that is a function. */
export function savedFaults(state: FaultsState, nowMs: number): FaultsState {
  const rules = dropExpired(state, nowMs);
  const called = rules.find(({ rule }) => typeof rule === "function");
  if (called === undefined) return structuredClone({ added: state.added, rules });
  const advice = "Remove it first, or write the rule as data";
  const message = `is a function, which a snapshot can't hold. ${advice}`;
  throw new InputError(`faults.${called.id}`, message, "conflict");
}

/** A function looks at all requests. */
function matchOf(rule: RuleState["rule"]): FaultMatch {
  return (typeof rule === "function" ? undefined : rule.match) ?? {};
}

function counterOf(rule: RuleState["rule"], { caller }: ArrivedRequest): number {
  return matchOf(rule).per === "world" ? ALL_CALLERS : caller;
}

function increment(counts: Counts, counter: number): void {
  counts[counter] = (counts[counter] ?? 0) + 1;
}

function looksAt(rule: RuleState["rule"], arrived: ArrivedRequest): boolean {
  const { operation, publisher, surface, ...match } = matchOf(rule);
  return (
    isActive(match, arrived.nowMs) &&
    isOneOf(operation, arrived.operation) &&
    isOneOf(publisher, arrived.publisher) &&
    // Checked last, because it has to be read from the body.
    (surface === undefined || isOneOf(surface, arrived.surface))
  );
}

function isActive({ from = "", until = "", repeat }: FaultMatch, nowMs: number): boolean {
  // A world's time is never before 1970.
  const fromMs = parseInstant(from) ?? 0;
  if (nowMs < fromMs || nowMs >= (parseInstant(until) ?? Number.POSITIVE_INFINITY)) return false;
  if (repeat === undefined) return true;
  return (nowMs - fromMs) % durationMs(repeat.every) < durationMs(repeat.for);
}

function isOneOf<Item>(wanted: Item | readonly Item[] | undefined, found: Item): boolean {
  return wanted === undefined || [wanted].flat().includes(found);
}

/** The rule's decision on a request; undefined to let it pass. */
function fire(seed: string, state: RuleState, arrived: ArrivedRequest): FiredRule | undefined {
  const { id, rule, seen, fired } = state;
  const counter = counterOf(rule, arrived);
  const number = seen[counter] ?? 0;
  const keyOf = (use: "fires" | "delays" | "noise"): Key =>
    // From 0 on: callers begin at ALL_CALLERS.
    subKey(deriveKey(seed, "fault", id, use), counter - ALL_CALLERS);

  function isChosen({ nth, every, share, times }: FaultMatch): boolean {
    return (
      (times === undefined || (fired[counter] ?? 0) < times) &&
      isOneOf(nth, number) &&
      (every === undefined || number % every === 0) &&
      (share === undefined || drawFraction(keyOf("fires"), number) < share)
    );
  }
  function decided(): Verdict | undefined {
    if (typeof rule === "function") return parseVerdict(id, rule(requestOf(arrived, number)));
    return isChosen(rule.match ?? {}) ? rule.verdict : undefined;
  }

  const verdict = decided();
  if (verdict === undefined) return undefined;
  increment(fired, counter);
  return {
    rule: id,
    kind: verdict.kind,
    verdict,
    delayMs: delayMsOf(verdict.delay, () => keyOf("delays"), number),
    plan: planOf(verdict, {
      operation: arrived.operation,
      keyOf: () => subKey(keyOf("noise"), number),
    }),
  };
}

/** A copy of the request for a function. */
function requestOf(arrived: ArrivedRequest, number: number): FaultRequest {
  const { nowMs, method, path, query, body, operation, publisher, surface } = arrived;
  const fields = Object.entries(arrived.headers);
  const headers = Object.fromEntries(fields.map(([name, value]) => [name.toLowerCase(), value]));
  const sent = { number, nowMs, method, path, query, headers, body: lenientText(body) };
  return { ...sent, operation, publisher, surface };
}

/**
 * A world's fault rules as plain data, and what they decide. Every rule numbers the requests that it looks at; the first that
 * chooses a request decides on it. A rule draws only from the seed, its id, the publisher and the request's number, so that
 * the same rules do the same on every transport.
 */

import { parseInstant } from "../base/calendar.ts";
import { durationMs } from "../base/duration.ts";
import { InputError } from "../base/input.ts";
import { deriveKey, drawFraction, type Key, subKey } from "../base/random.ts";
import { lenientText } from "../base/text.ts";
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
  /** How many requests it has looked at and numbered, by caller. */
  readonly seen: Counts;
  /** How many requests it decided on, by caller. */
  readonly fired: Counts;
}

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
  readonly state: FaultsState;
  isEmpty(): boolean;
  /** The decision of the first rule that chooses the request. */
  decide(arrived: ArrivedRequest): FiredRule | undefined;
  /** Calls `act`. Meanwhile no rule makes the service carry out a request twice. */
  withoutSecond<Result>(act: () => Result): Result;
}

export function createRules(seed: string, state: FaultsState = { added: 0, rules: [] }): Rules {
  let isSecondLeftOut = false;
  return {
    state,
    isEmpty: () => state.rules.length === 0,
    decide(arrived) {
      const asked = currentRules(state, arrived.nowMs);
      // Every rule counts the request, so that its numbers don't depend on the rules before it.
      const numbers = asked.map((rule) => numberOf(rule, arrived));
      for (const [index, rule] of asked.entries()) {
        const number = numbers[index];
        const fired = number === undefined ? undefined : fire(seed, rule, arrived, number);
        if (fired === undefined) continue;
        const isTwice = fired.plan.applications === 2;
        if (!isTwice || !isSecondLeftOut) return fired;
        return { ...fired, plan: { ...fired.plan, applications: 1 } };
      }
      return undefined;
    },
    withoutSecond(act) {
      isSecondLeftOut = true;
      try {
        return act();
      } finally {
        isSecondLeftOut = false;
      }
    },
  };
}

/** Drops expired rules. @returns the others. */
export function currentRules(state: FaultsState, nowMs: number): readonly RuleState[] {
  if (state.rules.some((rule) => hasExpired(rule, nowMs))) {
    state.rules = state.rules.filter((rule) => !hasExpired(rule, nowMs));
  }
  return state.rules;
}

function hasExpired({ expiresMs }: RuleState, nowMs: number): boolean {
  return expiresMs !== null && expiresMs <= nowMs;
}

/** Returns a function to ask in place of the rule with this id. */
export type FunctionStandIn = (id: string, decide: FaultFunction) => FaultFunction;

/** A copy with counts of its own. It keeps functions, or what `standIn` puts in their place. */
export function copyOfFaults(
  { added, rules }: FaultsState,
  standIn?: FunctionStandIn,
): FaultsState {
  const copies = rules.map(({ id, rule, expiresMs, seen, fired }) => ({
    id,
    rule: typeof rule === "function" && standIn ? standIn(id, rule) : rule,
    expiresMs,
    seen: { ...seen },
    fired: { ...fired },
  }));
  return { added, rules: copies };
}

/** A copy for a snapshot. @throws InputError for a rule that is a function. */
export function savedFaults(state: FaultsState, nowMs: number): FaultsState {
  const rules = currentRules(state, nowMs);
  const called = rules.find(({ rule }) => typeof rule === "function");
  if (called === undefined) return structuredClone({ added: state.added, rules });
  throw new InputError(
    `faults.${called.id}`,
    "is a function, which a snapshot can't hold. Remove it first, or write the rule as data",
    "conflict",
  );
}

/** Numbers a request, if the rule looks at it. */
function numberOf({ rule, seen }: RuleState, arrived: ArrivedRequest): number | undefined {
  const match = matchOf(rule);
  if (!looksAt(match, arrived)) return undefined;
  const counter = counterOf(match, arrived);
  const number = (seen[counter] ?? 0) + 1;
  seen[counter] = number;
  return number;
}

/** A function looks at all requests. */
function matchOf(rule: RuleState["rule"]): FaultMatch {
  return (typeof rule === "function" ? undefined : rule.match) ?? {};
}

function counterOf({ per }: FaultMatch, { caller }: ArrivedRequest): number {
  return per === "world" ? ALL_CALLERS : caller;
}

function looksAt(match: FaultMatch, arrived: ArrivedRequest): boolean {
  const { operation, publisher, surface } = match;
  return (
    isActive(match, arrived.nowMs) &&
    isOneOf(operation, arrived.operation) &&
    isOneOf(publisher, arrived.publisher) &&
    // Checked last, because it has to be read from the body.
    (surface === undefined || isOneOf(surface, arrived.surface))
  );
}

function isActive({ from, until, repeat }: FaultMatch, nowMs: number): boolean {
  // A world's time is never before 1970.
  const fromMs = from === undefined ? 0 : (parseInstant(from) ?? 0);
  const untilMs = until === undefined ? undefined : parseInstant(until);
  if (nowMs < fromMs || (untilMs !== undefined && nowMs >= untilMs)) return false;
  if (repeat === undefined) return true;
  return (nowMs - fromMs) % durationMs(repeat.every) < durationMs(repeat.for);
}

function isOneOf<Item>(wanted: Item | readonly Item[] | undefined, found: Item): boolean {
  return wanted === undefined || [wanted].flat().includes(found);
}

/** The rule's decision on a numbered request; undefined to let it pass. */
function fire(
  seed: string,
  { id, rule, fired }: RuleState,
  arrived: ArrivedRequest,
  number: number,
): FiredRule | undefined {
  const counter = counterOf(matchOf(rule), arrived);
  const before = fired[counter] ?? 0;
  const streamOf = (use: "fires" | "delays" | "noise"): Key =>
    subKey(deriveKey(seed, "fault", id, use), counter - ALL_CALLERS);

  function chosen({ match = {}, verdict }: FaultRule): Verdict | undefined {
    const { nth, every, share, times } = match;
    const isChosen =
      (times === undefined || before < times) &&
      isOneOf(nth, number) &&
      (every === undefined || number % every === 0) &&
      (share === undefined || drawFraction(streamOf("fires"), number) < share);
    return isChosen ? verdict : undefined;
  }
  const verdict =
    typeof rule === "function"
      ? parseVerdict(id, rule(faultRequestOf(arrived, number)))
      : chosen(rule);
  if (verdict === undefined) return undefined;
  fired[counter] = before + 1;
  return {
    rule: id,
    kind: verdict.kind,
    verdict,
    delayMs: delayMsOf(verdict.delay, () => streamOf("delays"), number),
    plan: planOf(verdict, {
      key: () => streamOf("noise"),
      ordinal: number,
      operation: arrived.operation,
    }),
  };
}

/** A copy of the request for a function. */
function faultRequestOf(arrived: ArrivedRequest, number: number): FaultRequest {
  const { nowMs, method, path, query, body, operation, publisher, surface } = arrived;
  const fields = Object.entries(arrived.headers);
  const headers = Object.fromEntries(fields.map(([name, value]) => [name.toLowerCase(), value]));
  const asked = { number, nowMs, method, path, query, headers, body: lenientText(body) };
  return { ...asked, operation, publisher, surface };
}

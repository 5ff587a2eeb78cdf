/**
 * A world's fault rules. The first one that matches decides. A rule draws only from the seed, its id, the publisher and the
 * request's number, so that the same rules do the same on every transport.
 */

import { durationMs } from "../base/duration.ts";
import { InputError } from "../base/input.ts";
import {
  type ArrivedRequest,
  createRule,
  type FiredRule,
  fire,
  type InstalledRule,
  numberRequest,
  publicRule,
  type Rule,
  rewritten,
} from "./installed-rule.ts";
import { type FaultFunction, type FaultRule, MAX_RULES, parseRule } from "./rule.ts";
import { loadRules, type SavedFaults, savedRule } from "./saved-faults.ts";

/** The rules of a world with their counts. They are part of its state. Expired rules are dropped. */
export interface RuleList {
  isEmpty(): boolean;
  /**
   * Adds a rule after the others.
   *
   * @throws InputError that names the invalid field, and for an id in use. No rule is added then.
   */
  add(given: FaultRule | FaultFunction, nowMs: number): Rule;
  list(nowMs: number): InstalledRule[];
  find(id: string, nowMs: number): Rule | undefined;
  /** Replaces each rule that is data by what `rewrite` makes of it. The counts stay. */
  rewrite(rewrite: (rule: FaultRule) => FaultRule): void;
  /** Removes a rule, given itself or by its id. @returns whether it was there. */
  remove(rule: Rule | string, nowMs: number): boolean;
  clear(): void;
  /** The decision of the first rule that matches. Every rule that looks at the request counts it. */
  decide(arrived: ArrivedRequest): FiredRule | undefined;
  /** Calls `act`. Meanwhile no rule makes the service carry out a request twice. */
  withoutSecond<Result>(act: () => Result): Result;
  /** `inPlace`: saved in place of rules that are functions. Without it they make this throw an InputError. */
  save(nowMs: number, inPlace?: FaultRule): SavedFaults;
  /** A copy with the same counts. It includes functions, or what `standIn` puts in their place. */
  copy(standIn?: FunctionStandIn): RuleList;
}

/** Returns a function to ask in place of the rule with this id. */
export type FunctionStandIn = (id: string, decide: FaultFunction) => FaultFunction;

export function createRuleList(seed: string): RuleList {
  return listOf(seed, [], 0);
}

/**
 * The rules of a snapshot. `functionOf` returns the function that was saved as the rule with this id, if it was one.
 *
 * @throws InputError that names the invalid field.
 */
export function loadRuleList(
  seed: string,
  saved: SavedFaults,
  functionOf: (id: string) => FaultFunction | undefined = () => undefined,
): RuleList {
  if (saved.rules.length > MAX_RULES) {
    throw new InputError("faults.rules", `must be at most ${MAX_RULES} rules`);
  }
  return listOf(seed, loadRules(seed, saved, functionOf), saved.added);
}

function listOf(seed: string, initial: readonly Rule[], alreadyAdded: number): RuleList {
  let rules: readonly Rule[] = initial;
  let added = alreadyAdded;
  let isSecondLeftOut = false;

  function current(nowMs: number): readonly Rule[] {
    if (rules.some(({ expiresMs }) => expiresMs <= nowMs)) {
      rules = rules.filter(({ expiresMs }) => expiresMs > nowMs);
    }
    return rules;
  }
  function idOf(wanted: string | undefined): string {
    const isTaken = (wish: string): boolean => rules.some(({ id }) => id === wish);
    if (wanted === undefined) {
      let number = added + 1;
      while (isTaken(`rule-${number}`)) number += 1;
      return `rule-${number}`;
    }
    if (!isTaken(wanted)) return wanted;
    throw new InputError(
      "id",
      "is already the id of a rule. Remove that rule first, or choose another id",
      "conflict",
    );
  }
  function decisionOn(arrived: ArrivedRequest): FiredRule | undefined {
    const asked = current(arrived.nowMs);
    // Every rule counts the request, so that its numbers don't depend on the rules before it.
    const numbers = asked.map((rule) => numberRequest(rule, arrived));
    for (const [index, rule] of asked.entries()) {
      const number = numbers[index];
      const fired = number === undefined ? undefined : fire(rule, arrived, number);
      if (fired !== undefined) return fired;
    }
    return undefined;
  }

  return {
    isEmpty: () => rules.length === 0,
    add(given, nowMs) {
      if (current(nowMs).length >= MAX_RULES) {
        throw new InputError(
          "faults",
          `already has ${MAX_RULES} rules, the maximum. Remove some first`,
          "conflict",
        );
      }
      if (typeof given === "function") return install(given, idOf(undefined), nowMs);
      const parsed = parseRule(given);
      return install(parsed, idOf(parsed.id), nowMs);
    },
    list: (nowMs) => current(nowMs).map(publicRule),
    find: (wanted, nowMs) => current(nowMs).find(({ id }) => id === wanted),
    rewrite(rewrite) {
      rules = rules.map((rule) => rewritten(rule, rewrite));
    },
    remove(wanted, nowMs) {
      const before = current(nowMs);
      rules = before.filter((rule) => rule !== wanted && rule.id !== wanted);
      return rules.length < before.length;
    },
    clear() {
      rules = [];
    },
    decide(arrived) {
      const fired = decisionOn(arrived);
      const isTwice = fired?.plan.applications === 2;
      if (!isTwice || !isSecondLeftOut) return fired;
      return { ...fired, plan: { ...fired.plan, applications: 1 } };
    },
    withoutSecond(act) {
      isSecondLeftOut = true;
      try {
        return act();
      } finally {
        isSecondLeftOut = false;
      }
    },
    save: (nowMs, inPlace) => ({
      added,
      rules: current(nowMs).map((rule) => savedRule(rule, inPlace)),
    }),
    copy: (standIn) =>
      listOf(
        seed,
        rules.map((rule) => copied(rule, standIn)),
        added,
      ),
  };

  function install(rule: FaultRule | FaultFunction, id: string, nowMs: number): Rule {
    const ttl = typeof rule === "function" ? undefined : rule.ttl;
    const expiresMs = ttl === undefined ? Number.POSITIVE_INFINITY : nowMs + durationMs(ttl);
    const made = createRule(seed, id, rule, expiresMs);
    rules = [...rules, made];
    added += 1;
    return made;
  }
}

function copied(rule: Rule, standIn: FunctionStandIn | undefined): Rule {
  const { id, behaviour } = rule;
  const asked =
    standIn === undefined || behaviour.kind === "data"
      ? behaviour
      : { ...behaviour, decide: standIn(id, behaviour.decide) };
  return { ...rule, behaviour: asked, seen: new Map(rule.seen), fired: new Map(rule.fired) };
}

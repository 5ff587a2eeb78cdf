/**
 * A world's fault rules. The first one that matches decides. A rule looks at a request and says what becomes of it; it
 * draws from the seed, its id and the request's number alone, so that a plan does the same on every transport.
 */

import { durationMs } from "../base/duration.ts";
import { InputError } from "../base/input.ts";
import {
  type Arrived,
  type Fired,
  fire,
  type InstalledRule,
  installed,
  numberOf,
  type Refusal,
  type Rule,
  ruleOf,
} from "./installed-rule.ts";
import { type FaultFunction, type FaultRule, parseRule } from "./rule.ts";
import { loadRules, type SavedFaults, savedRule } from "./saved-faults.ts";

/** The most rules of a world. */
const MOST_RULES = 1000;

/** Removes a rule, and says whether it was still there. */
export interface RuleRemover {
  (): boolean;
  /** The rule as it was installed. */
  readonly rule: InstalledRule;
}

/** The rules of a world, with their counts: a part of its state. */
export interface RuleList {
  /** Whether there is no rule to ask. */
  readonly isEmpty: boolean;
  /**
   * Adds a rule behind the others.
   *
   * @returns a function that removes it again, and says whether it was still there.
   * @throws InputError that names the field at fault, and for an id that is taken. Then nothing changes.
   */
  add(rule: FaultRule | FaultFunction, nowMs: number, refusal: Refusal): RuleRemover;
  list(nowMs: number): InstalledRule[];
  remove(id: string): boolean;
  clear(): void;
  /** The first rule that picks out the request. Counts it for every rule that looks at it. */
  look(arrived: Arrived, refusal: Refusal): Fired | undefined;
  /** @throws InputError for a rule that is a function. */
  save(): SavedFaults;
  /** The same rules with the same counts, functions included. */
  copy(): RuleList;
}

export function createRuleList(seed: string): RuleList {
  return listOf(seed, [], 0);
}

/** The rules of a snapshot. @throws InputError that names the field at fault. */
export function loadRuleList(seed: string, saved: SavedFaults): RuleList {
  return listOf(seed, loadRules(seed, saved), saved.added);
}

function listOf(seed: string, initial: readonly Rule[], alreadyAdded: number): RuleList {
  let rules: readonly Rule[] = initial;
  let added = alreadyAdded;

  function drop(gone: Rule): boolean {
    const before = rules.length;
    rules = rules.filter((rule) => rule !== gone);
    return rules.length < before;
  }
  function current(nowMs: number): readonly Rule[] {
    if (rules.some(({ expiresMs }) => expiresMs <= nowMs)) {
      rules = rules.filter(({ expiresMs }) => expiresMs > nowMs);
    }
    return rules;
  }
  function idOf(wanted: string | undefined): string {
    if (wanted === undefined) {
      let number = added + 1;
      while (rules.some(({ id }) => id === `rule-${number}`)) number += 1;
      return `rule-${number}`;
    }
    if (rules.some(({ id }) => id === wanted)) {
      throw new InputError(
        "id",
        "is that of a rule that is there already. Remove that one first, or choose another",
        "conflict",
      );
    }
    return wanted;
  }

  return {
    get isEmpty(): boolean {
      return rules.length === 0;
    },
    add(given, nowMs, refusal) {
      if (current(nowMs).length >= MOST_RULES) {
        throw new InputError(
          "faults",
          `has ${MOST_RULES} rules, the most there can be`,
          "conflict",
        );
      }
      const does =
        typeof given === "function"
          ? ({ kind: "function", decide: given } as const)
          : ({ kind: "data", rule: parseRule(given) } as const);
      const wanted = does.kind === "data" ? does.rule : undefined;
      const why = wanted && refusal(wanted.verdict);
      if (why !== undefined) throw new InputError("verdict", why, "conflict");
      const id = idOf(wanted?.id);
      const expiresMs =
        wanted?.ttl === undefined ? Number.POSITIVE_INFINITY : nowMs + durationMs(wanted.ttl);
      const rule = ruleOf(seed, id, does, expiresMs);
      rules = [...rules, rule];
      added += 1;
      return Object.assign(() => drop(rule), { rule: installed(rule) });
    },
    list: (nowMs) => current(nowMs).map(installed),
    remove(id) {
      const found = rules.find((rule) => rule.id === id);
      return found !== undefined && drop(found);
    },
    clear() {
      rules = [];
    },
    look(arrived, refusal) {
      let winner: Fired | undefined;
      // All rules count what they look at, so that a rule doesn't depend on those before it.
      for (const rule of current(arrived.nowMs)) {
        const numbered = numberOf(rule, arrived);
        if (numbered === undefined || winner !== undefined) continue;
        winner = fire(rule, arrived, numbered, refusal);
      }
      return winner;
    },
    save: () => ({ added, rules: rules.map(savedRule) }),
    copy: () => listOf(seed, rules.map(copied), added),
  };
}

function copied(rule: Rule): Rule {
  return { ...rule, seen: new Map(rule.seen), fired: new Map(rule.fired) };
}

/**
 * A world's fault rules. The first one that matches decides. A rule looks at a request and says what becomes of it; it
 * draws from the seed, its id, the publisher and the request's number alone, so that a plan does the same on every
 * transport.
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
  type VerdictCheck,
} from "./installed-rule.ts";
import { type FaultFunction, type FaultRule, MAX_RULES, parseRule } from "./rule.ts";
import { loadRules, type SavedFaults, savedRule } from "./saved-faults.ts";

/** The rules of a world, with their counts: a part of its state. A rule whose time is over isn't there any more. */
export interface RuleList {
  /** Whether there is no rule to ask. */
  isEmpty(): boolean;
  /** Whether one of them is being asked: the request it decides on goes on in this world. */
  readonly isDeciding: boolean;
  /**
   * Adds a rule behind the others.
   *
   * @throws InputError that names the field at fault, and for an id that is taken. Then nothing changes.
   */
  add(given: FaultRule | FaultFunction, nowMs: number, whyNot: VerdictCheck): Rule;
  list(nowMs: number): InstalledRule[];
  /** The rule with this id. */
  find(id: string, nowMs: number): Rule | undefined;
  /** Removes a rule, or the one with this id. @returns whether it was there. */
  remove(rule: Rule | string, nowMs: number): boolean;
  clear(): void;
  /** The first rule that picks out the request. Counts it for every rule that looks at it. */
  decide(arrived: ArrivedRequest, whyNot: VerdictCheck): FiredRule | undefined;
  /** About how many bytes the rules and their counts take in memory. */
  estimateBytes(): number;
  /** @throws InputError for a rule that is a function. */
  save(nowMs: number): SavedFaults;
  /** The same rules with the same counts, functions included. */
  copy(): RuleList;
}

/** A listing of them is one answer. */
const MAX_RULES_BYTES: number = 16 * 1024 * 1024;
/** What a count of one caller takes in memory. */
const COUNTER_BYTES = 60;

export function createRuleList(seed: string): RuleList {
  return listOf(seed, [], 0);
}

/** The rules of a snapshot. @throws InputError that names the field at fault. */
export function loadRuleList(seed: string, saved: SavedFaults, whyNot: VerdictCheck): RuleList {
  if (saved.rules.length > MAX_RULES) {
    throw new InputError("faults.rules", `must be at most ${MAX_RULES} rules`);
  }
  const rules = loadRules(seed, saved, whyNot);
  if (textBytes(rules) > MAX_RULES_BYTES) {
    throw new InputError("faults.rules", `must be at most ${MAX_RULES_BYTES} bytes as JSON`);
  }
  return listOf(seed, rules, saved.added);
}

function listOf(seed: string, initial: readonly Rule[], alreadyAdded: number): RuleList {
  let rules: readonly Rule[] = initial;
  let added = alreadyAdded;
  let isDeciding = false;

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
      "is that of a rule that is there already. Remove that one first, or choose another",
      "conflict",
    );
  }
  function decisionOn(arrived: ArrivedRequest, whyNot: VerdictCheck): FiredRule | undefined {
    const asked = current(arrived.nowMs);
    // All rules count what they look at, so that none depends on those before it, whatever they do.
    const numbers = asked.map((rule) => numberRequest(rule, arrived));
    for (const [index, rule] of asked.entries()) {
      const number = numbers[index];
      const fired = number === undefined ? undefined : fire(rule, arrived, number, whyNot);
      if (fired !== undefined) return fired;
    }
    return undefined;
  }

  return {
    isEmpty: () => rules.length === 0,
    get isDeciding(): boolean {
      return isDeciding;
    },
    add(given, nowMs, whyNot) {
      if (current(nowMs).length >= MAX_RULES) {
        throw new InputError(
          "faults",
          `has ${MAX_RULES} rules, the most there can be. Remove some first`,
          "conflict",
        );
      }
      if (typeof given === "function") return install(given, idOf(undefined), nowMs);
      const parsed = parseRule(given);
      const why = whyNot(parsed.verdict);
      if (why !== undefined) throw new InputError("verdict", why, "conflict");
      return install(parsed, idOf(parsed.id), nowMs);
    },
    list: (nowMs) => current(nowMs).map(publicRule),
    find: (wanted, nowMs) => current(nowMs).find(({ id }) => id === wanted),
    remove(wanted, nowMs) {
      const before = current(nowMs);
      rules = before.filter((rule) => rule !== wanted && rule.id !== wanted);
      return rules.length < before.length;
    },
    clear() {
      rules = [];
    },
    decide(arrived, whyNot) {
      if (isDeciding) {
        throw new InputError(
          "faults",
          "can't be asked by a rule: a function that decides on a request must not send another",
          "conflict",
        );
      }
      isDeciding = true;
      try {
        return decisionOn(arrived, whyNot);
      } finally {
        isDeciding = false;
      }
    },
    estimateBytes() {
      const counters = rules.reduce((sum, { seen, fired }) => sum + seen.size + fired.size, 0);
      return 2 * textBytes(rules) + COUNTER_BYTES * counters;
    },
    save: (nowMs) => ({ added, rules: current(nowMs).map(savedRule) }),
    copy: () => listOf(seed, rules.map(copied), added),
  };

  function install(rule: FaultRule | FaultFunction, id: string, nowMs: number): Rule {
    const ttl = typeof rule === "function" ? undefined : rule.ttl;
    const expiresMs = ttl === undefined ? Number.POSITIVE_INFINITY : nowMs + durationMs(ttl);
    const made = createRule(seed, id, rule, expiresMs);
    if (textBytes([...rules, made]) > MAX_RULES_BYTES) {
      throw new InputError(
        "faults",
        `would be more than ${MAX_RULES_BYTES} bytes as JSON, the most that a world's rules may have together. Remove some first, or send shorter bodies`,
        "conflict",
      );
    }
    rules = [...rules, made];
    added += 1;
    return made;
  }
}

function textBytes(rules: readonly Rule[]): number {
  return rules.reduce(
    (sum, { behaviour }) => sum + (behaviour.kind === "data" ? behaviour.textLength : 0),
    0,
  );
}

function copied(rule: Rule): Rule {
  return { ...rule, seen: new Map(rule.seen), fired: new Map(rule.fired) };
}

/** The users' interface to fault rules: install, list and remove them. The rules themselves are part of a world's state. */

import { InputError } from "../base/input.ts";
import { type InstalledRule, publicRule, type Rule } from "./installed-rule.ts";
import type { FaultFunction, FaultRule } from "./rule.ts";
import type { RuleList } from "./rule-list.ts";

/** Removes a rule. Returns whether it was still installed. */
export interface RuleRemover {
  (): boolean;
  /** The rule as it was installed. */
  readonly rule: InstalledRule;
}

/** A rule that was installed or removed. Without an id, all rules were removed. */
export type FaultChange =
  | { readonly kind: "fault"; readonly id: string; readonly rule: FaultRule | FaultFunction }
  | { readonly kind: "heal"; readonly id: string | undefined };

/** Does a change again. */
export function repeatFaultChange(faults: Faults, change: FaultChange): void {
  if (change.kind === "fault") faults.add(change.rule);
  else if (change.id === undefined) faults.clear();
  else faults.remove(change.id);
}

/** The fault rules of a world. If several match a request, the one installed first decides. */
export interface Faults {
  /**
   * Installs a copy of a rule after the others.
   *
   * @returns a function that removes the rule and returns whether it was still installed. It doesn't remove a rule that a
   * reset or `restore` has put in its place, even one with the same id.
   * @throws InputError that names the invalid field; for an id in use; and for more than 1,000 rules. No rule is added then.
   */
  add(rule: FaultRule | FaultFunction): RuleRemover;
  /** The installed rules with their counts, in the order in which they are asked. */
  list(): InstalledRule[];
  /** @throws InputError if no rule has this id. */
  get(id: string): InstalledRule;
  /** Removes the rule with this id and its counts. @returns whether there was one. */
  remove(id: string): boolean;
  /** Removes all rules. */
  clear(): void;
}

/**
 * `current` returns the world's present rules and clock, which a reset replaces. `note` is told of every change, once it is
 * made.
 */
export function createFaults(
  current: () => { readonly rules: RuleList; readonly clock: { now(): number } },
  note: (change: FaultChange, atMs: number) => void,
): Faults {
  const remove = (rule: Rule | string): boolean => {
    const { rules, clock } = current();
    const nowMs = clock.now();
    const isRemoved = rules.remove(rule, nowMs);
    if (isRemoved) note({ kind: "heal", id: typeof rule === "string" ? rule : rule.id }, nowMs);
    return isRemoved;
  };
  return {
    add(rule) {
      const { rules, clock } = current();
      const nowMs = clock.now();
      const added = rules.add(rule, nowMs);
      const { id, behaviour } = added;
      const repeated = behaviour.kind === "data" ? { ...behaviour.rule, id } : behaviour.decide;
      note({ kind: "fault", id, rule: repeated }, nowMs);
      return Object.assign(() => remove(added), { rule: publicRule(added) });
    },
    list() {
      const { rules, clock } = current();
      return rules.list(clock.now());
    },
    get(id) {
      const { rules, clock } = current();
      const found = rules.find(id, clock.now());
      if (found !== undefined) return publicRule(found);
      throw new InputError("id", "is not the id of an installed fault rule", "not-found");
    },
    remove,
    clear() {
      const { rules, clock } = current();
      rules.clear();
      note({ kind: "heal", id: undefined }, clock.now());
    },
  };
}

/** What users do with fault rules: install them, look at them, remove them. The rules themselves are the world's state. */

import { InputError } from "../base/input.ts";
import { type InstalledRule, publicRule, type Rule, type VerdictCheck } from "./installed-rule.ts";
import type { FaultFunction, FaultRule } from "./rule.ts";
import type { RuleList } from "./rule-list.ts";
import type { Verdict } from "./verdict.ts";

/** Removes a rule, and says whether it was still there. */
export interface RuleRemover {
  (): boolean;
  /** The rule as it was installed. */
  readonly rule: InstalledRule;
}

/** The fault rules of a world. Of those that match a request, the one installed first decides. */
export interface Faults {
  /**
   * Installs a copy of a rule behind the others.
   *
   * @returns a function that removes it again, and says whether it was still there. What a reset or `restore` puts in
   * its place is another rule, the same id or not.
   * @throws InputError that names the field at fault; for an id that is taken; for one rule more than 1,000; and for a
   * verdict that a transport in use can't carry out. Then nothing changes.
   */
  add(rule: FaultRule | FaultFunction): RuleRemover;
  /** The rules in force, in the order in which they are asked, with their counts. */
  list(): InstalledRule[];
  /** @throws InputError where no rule has this id. */
  get(id: string): InstalledRule;
  /** Removes the rule with this id, and its counts. @returns whether there was one. */
  remove(id: string): boolean;
  /** Removes all rules. */
  clear(): void;
  /**
   * For a transport that can't carry out every verdict: from now on such rules are refused.
   *
   * @throws InputError where there is such a rule already.
   */
  limitTo(transport: Transport): void;
}

/** What a transport can't do. */
export interface Transport {
  readonly name: string;
  /** Why it can't carry out a verdict, in words that follow "can't be carried out: "; undefined where it can. */
  whyNot(verdict: Verdict): string | undefined;
}

/** The transports in use, and what they refuse between them. */
export interface Transports {
  readonly whyNot: VerdictCheck;
  add(transport: Transport): void;
}

export function createTransports(): Transports {
  const transports = new Map<string, Transport>();
  return {
    whyNot(verdict) {
      for (const transport of transports.values()) {
        const why = transport.whyNot(verdict);
        if (why !== undefined) return `can't be carried out: ${why}`;
      }
      return undefined;
    },
    add(transport) {
      transports.set(transport.name, transport);
    },
  };
}

/** `current` gives the world's rules and time as they are now: after a reset they are others. */
export function createFaults(
  current: () => { readonly rules: RuleList; readonly clock: { now(): number } },
  transports: Transports,
): Faults {
  const list = (): InstalledRule[] => {
    const { rules, clock } = current();
    return rules.list(clock.now());
  };
  const remove = (rule: Rule | string): boolean => {
    const { rules, clock } = current();
    return rules.remove(rule, clock.now());
  };
  return {
    add(rule) {
      const { rules, clock } = current();
      const added = rules.add(rule, clock.now(), transports.whyNot);
      return Object.assign(() => remove(added), { rule: publicRule(added) });
    },
    list,
    get(id) {
      const { rules, clock } = current();
      const found = rules.find(id, clock.now());
      if (found !== undefined) return publicRule(found);
      throw new InputError("id", "is not that of a fault rule in force", "not-found");
    },
    remove,
    clear: () => current().rules.clear(),
    limitTo(transport) {
      for (const { id, verdict } of list()) {
        const why = verdict && transport.whyNot(verdict);
        if (why === undefined) continue;
        throw new InputError(
          `faults.${id}`,
          `can't be carried out: ${why}. Remove the rule first`,
          "conflict",
        );
      }
      transports.add(transport);
    },
  };
}

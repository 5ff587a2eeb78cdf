/** The users' interface to a world's fault rules: install, list and remove them. */

import { formatInstant, LAST_INSTANT_MS } from "../base/calendar.ts";
import { durationMs } from "../base/duration.ts";
import { InputError } from "../base/input.ts";
import {
  type FaultFunction,
  type FaultMatch,
  type FaultRule,
  MAX_RULES,
  parseRule,
} from "./rule.ts";
import { dropExpired, type FaultsState, type RuleState } from "./rules.ts";
import type { Verdict } from "./verdict.ts";

/** The fault rules of a world. If several match a request, the one installed first decides. */
export interface Faults {
  /**
   * Installs a copy of a rule after the others.
   *
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

/** A copy of an installed rule. */
export interface InstalledRule {
  readonly id: string;
  /** Undefined for a function, as is its verdict. */
  readonly match: FaultMatch | undefined;
  readonly verdict: Verdict | undefined;
  /** When it ends, in ISO 8601 on the world's clock; undefined if it doesn't end. */
  readonly expires: string | undefined;
  /** How many requests it has looked at and numbered. */
  readonly seen: number;
  /** How many requests it decided on. */
  readonly fired: number;
}

/** Removes a rule, but not one that a reset or `restore` has put in its place. Returns whether it was still installed. */
export interface RuleRemover {
  (): boolean;
  /** The rule as it was installed. */
  readonly rule: InstalledRule;
}

/** A rule that was installed or removed. Without an id, all rules were removed. */
export type FaultChange =
  | { readonly kind: "fault"; readonly id: string; readonly rule: FaultRule | FaultFunction }
  | { readonly kind: "heal"; readonly id: string | undefined };

/** `current` returns the world's present state and clock. `note` is told of every change, once it is made. */
export function createFaults(
  current: () => { state: { faults: FaultsState }; clock: { now(): number } },
  note: (change: FaultChange, atMs: number) => void,
): Faults {
  function present(): { readonly faults: FaultsState; readonly nowMs: number } {
    const { state, clock } = current();
    const nowMs = clock.now();
    dropExpired(state.faults, nowMs);
    return { faults: state.faults, nowMs };
  }
  function remove(isMeant: (rule: RuleState) => boolean): boolean {
    const { faults, nowMs } = present();
    const found = faults.rules.find(isMeant);
    if (found === undefined) return false;
    faults.rules = faults.rules.filter((rule) => rule !== found);
    note({ kind: "heal", id: found.id }, nowMs);
    return true;
  }
  return {
    add(given) {
      const { faults, nowMs } = present();
      const added = addRule(faults, given, nowMs);
      const { id, rule } = added;
      note({ kind: "fault", id, rule }, nowMs);
      return Object.assign(() => remove((one) => one === added), { rule: installed(added) });
    },
    list: () => present().faults.rules.map(installed),
    get(id) {
      const found = present().faults.rules.find((rule) => rule.id === id);
      if (found !== undefined) return installed(found);
      throw new InputError("id", "is not the id of an installed fault rule", "not-found");
    },
    remove: (id) => remove((rule) => rule.id === id),
    clear() {
      const { faults, nowMs } = present();
      faults.rules = [];
      note({ kind: "heal", id: undefined }, nowMs);
    },
  };
}

/** Does a change again. */
export function repeatFaultChange(faults: Faults, change: FaultChange): void {
  if (change.kind === "fault") faults.add(change.rule);
  else if (change.id === undefined) faults.clear();
  else faults.remove(change.id);
}

/** Adds a copy of a rule after the others. @throws InputError as {@link Faults.add} does. */
export function addRule(faults: FaultsState, given: RuleState["rule"], nowMs: number): RuleState {
  if (dropExpired(faults, nowMs).length >= MAX_RULES) {
    const message = `already has ${MAX_RULES} rules, the maximum. Remove some first`;
    throw new InputError("faults", message, "conflict");
  }
  const rule = typeof given === "function" ? given : parseRule(given);
  const { id: wanted, ttl }: Partial<FaultRule> = typeof rule === "function" ? {} : rule;
  const endsMs = ttl === undefined ? Number.POSITIVE_INFINITY : nowMs + durationMs(ttl);
  const added: RuleState = {
    id: freeId(faults, wanted),
    rule,
    // No world's clock reaches a later instant.
    expiresMs: endsMs > LAST_INSTANT_MS ? null : endsMs,
    seen: {},
    fired: {},
  };
  faults.rules = [...faults.rules, added];
  faults.added += 1;
  return added;
}

function freeId({ added, rules }: FaultsState, wanted: string | undefined): string {
  const taken = rules.map(({ id }) => id);
  let number = added + 1;
  while (taken.includes(`rule-${number}`)) number += 1;
  const id = wanted ?? `rule-${number}`;
  if (!taken.includes(id)) return id;
  const message = "is already the id of a rule. Remove that rule first, or choose another id";
  throw new InputError("id", message, "conflict");
}

/** A rule as users see it. */
function installed({ id, rule, expiresMs, seen, fired }: RuleState): InstalledRule {
  const data = typeof rule === "function" ? undefined : structuredClone(rule);
  return {
    id,
    match: data && (data.match ?? {}),
    verdict: data?.verdict,
    expires: expiresMs === null ? undefined : formatInstant(expiresMs),
    seen: sum(seen),
    fired: sum(fired),
  };
}

function sum(counts: RuleState["seen"]): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}

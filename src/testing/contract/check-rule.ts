/** Checks rules that users write. */

import * as v from "valibot";
import { didYouMean, formatList } from "../../base/did-you-mean.ts";
import { InputError, inField, isPlainObject, parseInput } from "../../base/input.ts";
import { strictObject } from "../../base/schema-builders.ts";
import type { Choices } from "../../simulator/simulator-options.ts";
import { resolveAssumptions } from "../../spec/assumptions/resolve.ts";
import { driverMethods } from "../driver/driver.ts";
import { promiseNames } from "../driver/promises.ts";
import { choicesFor, type Rule } from "./rules/rule.ts";

function textOf(expected: string): v.GenericSchema {
  return v.custom((text) => typeof text === "string" && /^.*\S.*$/.test(text), expected);
}

const choices = v.optional(
  v.pipe(
    v.array(v.custom(isPlainObject, "must be an object of choices"), "must be a list of choices"),
    v.minLength(1, "must have at least one element: {} stands for the contract's own choices"),
  ),
);

const schema = strictObject({
  id: v.custom(
    (id) => typeof id === "string" && /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(id),
    'must be lower-case words with hyphens, such as "clicks-come-late"',
  ),
  says: textOf("must be the rule in a sentence, on one line"),
  source: textOf('must say where the rule comes from, on one line, such as "spec §4"'),
  needs: v.optional(v.array(v.unknown(), "must be a list of members of the driver")),
  needsVirtualTime: v.optional(v.boolean("must be true or false")),
  assuming: choices,
  unlessAssumed: choices,
  commands: v.function("must be a function that returns an arbitrary of sequences of commands"),
  whyNever: v.optional(v.function("must be a function that returns a reason, or undefined")),
  judge: v.function("must be a function that judges a session"),
} satisfies Readonly<Record<keyof Rule, v.GenericSchema>>);

/**
 * @param field What errors call the rule.
 * @param assumptions The choices of the contract.
 * @throws InputError that names the invalid member.
 */
export function checkRule(field: string, rule: Rule, assumptions: Choices | undefined): void {
  inField(field, () => {
    if (typeof rule !== "object" || rule === null) throw new InputError("", "must be a rule");
    parseInput(schema, rule);
    for (const [index, name] of (rule.needs ?? []).entries()) checkNeed(`needs.${index}`, name);
    for (const name of ["assuming", "unlessAssumed"] as const) {
      for (const [index, one] of (rule[name] ?? []).entries())
        inField(`${name}.${index}`, () => resolveAssumptions({ ...assumptions, ...one }));
    }
    for (const choices of choicesFor(rule, assumptions)) {
      const given: unknown = rule.commands(resolveAssumptions(choices));
      if (!isArbitrary(given))
        throw new InputError("commands", "must return a fast-check arbitrary");
    }
  });
}

const members: readonly string[] = [...driverMethods, ...promiseNames];

/** A rule that needs a member that no driver has would always be skipped. */
function checkNeed(field: string, name: unknown): void {
  if (members.some((one) => one === name)) return;
  const hint =
    (typeof name === "string" && didYouMean(name, members)) ||
    ` Choose from: ${formatList(members)}`;
  throw new InputError(field, `must name a method of the driver, or something it promises.${hint}`);
}

/** A project may have several copies of fast-check, so `instanceof` doesn't tell. */
function isArbitrary(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return ["generate", "shrink", "canShrinkWithoutContext"].every((name) => name in value);
}

/**
 * The contract's rules, and then the user's.
 *
 * @throws InputError that names the invalid rule.
 */
export function readRules(
  ours: readonly Rule[],
  given: readonly Rule[] = [],
  assumptions?: Choices | undefined,
): readonly Rule[] {
  if (!Array.isArray(given)) throw new InputError("rules", "must be a list of rules");
  const rules = [...ours];
  for (const [index, rule] of given.entries()) {
    const field = `rules.${index}`;
    checkRule(field, rule, assumptions);
    const place = rules.findIndex(({ id }) => id === rule.id);
    if (place >= 0) {
      const of = place < ours.length ? "of the contract" : `in rules.${place - ours.length}`;
      throw new InputError(`${field}.id`, `must be unique: there is a rule ${rule.id} ${of}`);
    }
    rules.push(rule);
  }
  return rules;
}

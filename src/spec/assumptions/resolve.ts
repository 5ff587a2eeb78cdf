/** Turns a user's choices into one choice for every assumption. Errors name unknown keys and choices. */

import { didYouMean } from "../../base/did-you-mean.ts";
import { InputError, notSent } from "../../base/input.ts";
import { shownName } from "../../base/text.ts";
import { type Assumption, type Assumptions, catalogue } from "./catalogue.ts";

const points: Readonly<Record<string, Assumption>> = catalogue;
const defaults: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(points).map(([key, point]) => [key, point.default]),
);

/** Every key with its default. */
export const defaultAssumptions = Object.freeze(defaults) as Assumptions;

/**
 * The defaults, overridden by `chosen`.
 *
 * @throws InputError that names an unknown key or choice and the nearest known one.
 */
export function resolveAssumptions(chosen: Readonly<Record<string, unknown>>): Assumptions {
  const resolved: Record<string, string> = { ...defaults };
  for (const [key, choice] of Object.entries(chosen)) {
    if (choice === undefined) continue;
    const field = `assumptions.${shownName(key)}`;
    const point = Object.hasOwn(points, key) ? points[key] : undefined;
    if (point === undefined) throw new InputError(field, `is not an assumption.${keyHint(key)}`);
    const names = Object.keys(point.choices);
    const list = `Choose one of: ${names.join(", ")}`;
    if (typeof choice !== "string")
      throw new InputError(field, `must be a string${notSent(choice)}. ${list}`);
    if (!names.includes(choice)) {
      // A number isn't misspelt, it is another status.
      const hint = /^\d+$/.test(choice) ? "" : didYouMean(choice, names);
      const sent = JSON.stringify(shownName(choice));
      throw new InputError(field, `has no choice ${sent}.${hint} ${list}`);
    }
    resolved[key] = choice;
  }
  // Every value was checked against the choices of its key above.
  return Object.freeze(resolved) as Assumptions;
}

/** The choices that aren't the defaults. */
export function nonDefaultChoices(assumptions: Assumptions): Partial<Assumptions> {
  const chosen = Object.entries(assumptions).filter(([key, choice]) => choice !== defaults[key]);
  return Object.fromEntries(chosen);
}

/** Suggests a key for an unknown one, or says where to find all keys. */
export function keyHint(sent: string): string {
  return didYouMean(sent, Object.keys(points)) || " See: npx adsim assumptions.";
}

/** Turns a user's choices into one choice for every assumption. Errors name unknown keys and choices. */

import { didYouMean, formatList } from "../../base/did-you-mean.ts";
import { InputError } from "../../base/input.ts";
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
    if (typeof choice === "number" && names.includes(String(choice))) {
      throw new InputError(field, `must be a string: "${choice}", not ${choice}`);
    }
    if (typeof choice !== "string" || !names.includes(choice)) {
      const isText = typeof choice === "string";
      const sent = isText ? `choice ${JSON.stringify(shownName(choice))}` : "such choice";
      const hint = isText ? didYouMean(choice, names) : "";
      throw new InputError(field, `has no ${sent}.${hint} Choose one of: ${names.join(", ")}`);
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
  const keys = Object.keys(points);
  const group = keys.filter((key) => key.startsWith(`${sent.toLowerCase().split(".")[0]}.`));
  const list =
    group.length > 0 ? ` Known keys: ${formatList(group)}.` : " See: npx adsim assumptions.";
  return didYouMean(sent, keys) || list;
}

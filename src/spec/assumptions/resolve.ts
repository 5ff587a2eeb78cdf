/** Turns a user's choices into one choice for every assumption. Errors name unknown keys and choices. */

import { didYouMean, formatList } from "../../base/did-you-mean.ts";
import { InputError } from "../../base/input.ts";
import { shownName } from "../../base/text.ts";
import { type Assumption, type AssumptionKey, type Assumptions, catalogue } from "./catalogue.ts";

const points: Readonly<Record<string, Assumption>> = catalogue;

/** Every key with its default. */
export const defaultAssumptions: Assumptions = Object.freeze(
  Object.fromEntries(Object.entries(points).map(([key, point]) => [key, point.default])) as {
    -readonly [Key in AssumptionKey]: Assumptions[Key];
  },
);

/**
 * The defaults, overridden by `chosen`.
 *
 * @throws InputError that names an unknown key or choice and the nearest known one.
 */
export function resolveAssumptions(chosen: Readonly<Record<string, unknown>>): Assumptions {
  const resolved: Record<string, string> = { ...defaultAssumptions };
  for (const [key, choice] of Object.entries(chosen)) {
    if (choice === undefined) continue;
    const point = Object.hasOwn(points, key) ? points[key] : undefined;
    if (point === undefined) {
      throw new InputError(`assumptions.${shownName(key)}`, `is not an assumption.${keyHint(key)}`);
    }
    const names = Object.keys(point.choices);
    if (typeof choice === "number" && names.includes(String(choice))) {
      throw new InputError(`assumptions.${key}`, `must be a string: "${choice}", not ${choice}`);
    }
    if (typeof choice !== "string" || !names.includes(choice)) {
      throw new InputError(
        `assumptions.${key}`,
        `has no ${choiceShown(choice)}.${hintFor(choice, names)} Choose one of: ${names.join(", ")}`,
      );
    }
    resolved[key] = choice;
  }
  // Every value was checked against the choices of its key above.
  return Object.freeze(resolved) as Assumptions;
}

/** The choices that aren't the defaults. */
export function nonDefaultChoices(assumptions: Assumptions): Partial<Assumptions> {
  const defaults: Readonly<Record<string, string>> = defaultAssumptions;
  return Object.fromEntries(
    Object.entries(assumptions).filter(([key, choice]) => choice !== defaults[key]),
  );
}

function choiceShown(sent: unknown): string {
  return typeof sent === "string" ? `choice ${JSON.stringify(shownName(sent))}` : "such choice";
}

/** Names the nearest choice. A number isn't misspelt, it is another status. */
function hintFor(sent: unknown, names: readonly string[]): string {
  return typeof sent === "string" && !/^\d+$/.test(sent) ? didYouMean(sent, names) : "";
}

/** Suggests a key for an unknown one, or says where to find all keys. */
export function keyHint(sent: string): string {
  const keys = Object.keys(points);
  const group = keys.filter((key) => key.startsWith(`${sent.toLowerCase().split(".")[0]}.`));
  const list =
    group.length > 0 ? ` Known keys: ${formatList(group)}.` : " See: npx adsim assumptions.";
  return didYouMean(sent, keys) || list;
}

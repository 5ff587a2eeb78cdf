/** From what a user chose to one choice for every open point. Wrong keys and choices are refused by name. */

import { InputError } from "../base/input.ts";
import { shown } from "../base/shown.ts";
import { type AssumptionKey, type Assumptions, catalogue, type OpenPoint } from "./catalogue.ts";
import { misfitIn } from "./constraints.ts";

const points: Readonly<Record<string, OpenPoint>> = catalogue;

/** Every key with its default. */
export const defaultAssumptions: Assumptions = Object.freeze(
  Object.fromEntries(Object.entries(points).map(([key, point]) => [key, point.default])) as {
    -readonly [Key in AssumptionKey]: Assumptions[Key];
  },
);

/**
 * The defaults with `chosen` on top.
 *
 * @throws InputError that names a wrong key or choice and the nearest right one, or a choice that needs another.
 */
export function resolveAssumptions(chosen: Readonly<Record<string, unknown>>): Assumptions {
  const resolved: Record<string, string> = { ...defaultAssumptions };
  for (const [key, choice] of Object.entries(chosen)) {
    if (choice === undefined) continue;
    const point = Object.hasOwn(points, key) ? points[key] : undefined;
    if (point === undefined) {
      const closest = nearest(key, Object.keys(points));
      throw new InputError(
        `assumptions.${key.split(".").map(shown).join(".")}`,
        `is not an assumption. Did you mean ${JSON.stringify(closest)}?`,
      );
    }
    const names = Object.keys(point.choices);
    if (typeof choice !== "string" || !names.includes(choice)) {
      throw new InputError(
        `assumptions.${key}`,
        `has no ${choiceShown(choice)}.${hint(choice, names)} Choose one of: ${names.join(", ")}`,
      );
    }
    resolved[key] = choice;
  }
  // Every value was checked against the choices of its key above.
  const assumptions = Object.freeze(resolved) as Assumptions;
  const misfit = misfitIn(assumptions);
  if (misfit !== undefined) throw new InputError(`assumptions.${misfit.key}`, misfit.problem);
  return assumptions;
}

/** Nothing where no choice is like what was sent: the list of them says it all. */
function hint(sent: unknown, names: readonly string[]): string {
  const closest = nearest(String(sent), names);
  return sharedPairs(String(sent), closest) > 0 ? ` Did you mean ${JSON.stringify(closest)}?` : "";
}

function choiceShown(sent: unknown): string {
  const harmless = typeof sent === "string" && (shown(sent) === sent || /^\d{1,4}$/.test(sent));
  return harmless ? `choice ${JSON.stringify(sent)}` : "such choice";
}

/** The candidate that shares most letter pairs with `text`. */
function nearest(text: string, candidates: readonly string[]): string {
  let best = "";
  let bestShare = -1;
  for (const candidate of candidates) {
    const share = sharedPairs(text, candidate);
    if (share > bestShare) {
      best = candidate;
      bestShare = share;
    }
  }
  return best;
}

function sharedPairs(left: string, right: string): number {
  const pairsOf = (text: string): Set<string> =>
    new Set(
      Array.from({ length: Math.max(0, text.length - 1) }, (_, at) =>
        text.slice(at, at + 2).toLowerCase(),
      ),
    );
  const rightPairs = pairsOf(right);
  let shared = 0;
  for (const pair of pairsOf(left)) if (rightPairs.has(pair)) shared += 1;
  return (2 * shared) / Math.max(1, left.length + right.length - 2);
}

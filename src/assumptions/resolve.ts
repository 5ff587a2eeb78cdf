/** From what a user chose to one choice for every open point. Wrong keys and choices are refused by name. */

import { InputError } from "../base/input.ts";
import { shown } from "../base/shown.ts";
import { type AssumptionKey, type Assumptions, catalogue, type OpenPoint } from "./catalogue.ts";
import { brokenConstraint } from "./constraints.ts";

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
 * @throws InputError that names a wrong key or choice and the nearest right one, or says why two choices don't go
 * together.
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
        `has no ${choiceShown(choice)}.${hintFor(choice, names)} Choose one of: ${names.join(", ")}`,
      );
    }
    resolved[key] = choice;
  }
  const broken = brokenConstraint(resolved);
  if (broken !== undefined) throw new InputError(`assumptions.${broken.key}`, broken.problem);
  // Every value was checked against the choices of its key above.
  return Object.freeze(resolved) as Assumptions;
}

function choiceShown(sent: unknown): string {
  const harmless = typeof sent === "string" && (shown(sent) === sent || /^\d{1,4}$/.test(sent));
  return harmless ? `choice ${JSON.stringify(sent)}` : "such choice";
}

/** Names the nearest choice: one of our own names, so it repeats nothing of what was sent. */
function hintFor(sent: unknown, names: readonly string[]): string {
  const text = typeof sent === "number" ? String(sent) : sent;
  if (typeof text !== "string" || text === "") return "";
  return ` Did you mean ${JSON.stringify(nearest(text, names))}?`;
}

/** The candidate that shares most letter pairs with `text`, or most letters where that doesn't tell; case aside. */
function nearest(text: string, candidates: readonly string[]): string {
  const wanted = text.toLowerCase();
  const byPairs = mostAlike(candidates, (candidate) => shared(wanted, candidate.toLowerCase(), 2));
  return mostAlike(byPairs, (candidate) => shared(wanted, candidate.toLowerCase(), 1))[0] ?? "";
}

/** Those candidates that are alike most. */
function mostAlike(
  candidates: readonly string[],
  likeness: (candidate: string) => number,
): readonly string[] {
  const most = Math.max(...candidates.map(likeness));
  return candidates.filter((candidate) => likeness(candidate) === most);
}

/** The share of runs of `length` letters that two texts have in common. */
function shared(left: string, right: string, length: number): number {
  const runsOf = (text: string): Set<string> =>
    new Set(
      Array.from({ length: Math.max(0, text.length - length + 1) }, (_, at) =>
        text.slice(at, at + length),
      ),
    );
  const rightRuns = runsOf(right);
  let common = 0;
  for (const run of runsOf(left)) if (rightRuns.has(run)) common += 1;
  return (2 * common) / Math.max(1, left.length + right.length - 2 * (length - 1));
}

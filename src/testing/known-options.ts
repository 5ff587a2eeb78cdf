/** Options by names that there are: a misspelt one would be passed over, and what it asks for never be done. */

import { didYouMean } from "../base/did-you-mean.ts";
import { InputError } from "../base/input.ts";
import { shown } from "../base/shown.ts";

/**
 * @param known The names that there are, as its keys.
 * @throws InputError for what is no object, and for a name that isn't known.
 */
export function checkNames(options: object, known: Readonly<Record<string, true>>): void {
  const given: unknown = options;
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw new InputError("options", "must be an object");
  }
  const names = Object.keys(known);
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(known, name));
  if (unknown === undefined) return;
  const hint = didYouMean(unknown, names) || ` There is: ${names.join(", ")}`;
  throw new InputError(shown(unknown), `is no option here.${hint}`);
}

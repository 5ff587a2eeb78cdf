/** Options of the test kit. Their types say what they may be; a misspelt one is refused: it would be ignored silently. */

import { didYouMean } from "../base/did-you-mean.ts";
import { InputError } from "../base/input.ts";
import { shownName } from "../base/text.ts";

/** @throws InputError for an option that isn't among the names. */
export function checkNames(options: object, names: readonly string[]): void {
  if (typeof options !== "object" || options === null || Array.isArray(options))
    throw new InputError("options", "must be an object");
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const hint = didYouMean(unknown, names) || ` Choose from: ${names.join(", ")}`;
  throw new InputError(shownName(unknown), `is not an option.${hint}`);
}

/** @throws InputError for what is no list, or an empty one, or has a name that isn't known. */
export function checkKnown(
  field: string,
  given: readonly string[],
  known: readonly string[],
): void {
  if (!Array.isArray(given) || given.length === 0)
    throw new InputError(field, "must be a list of at least one");
  const place = given.findIndex((name) => !known.includes(name));
  if (place >= 0) throw new InputError(`${field}.${place}`, `must be one of ${known.join(", ")}`);
}

/** @throws InputError for anything but a simulator. */
export function checkSimulator(value: object): void {
  if (typeof Object(value).handle !== "function")
    throw new InputError("sim", "must be a simulator, as createSimulator makes it");
}

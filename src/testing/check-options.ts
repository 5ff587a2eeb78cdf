/** Checks an options object. A misspelt option is an error: otherwise it would be ignored silently. */

import * as v from "valibot";
import { didYouMean } from "../base/did-you-mean.ts";
import { InputError, parseInput } from "../base/input.ts";
import { shownName } from "../base/text.ts";

/** The schema of each option. The type makes sure that none is forgotten. */
export type OptionEntries<Options extends object> = Readonly<
  Record<keyof Options & string, v.GenericSchema>
>;

/** For an option that is checked elsewhere. */
export const unchecked: v.GenericSchema = v.unknown();

/** @throws InputError that names the invalid option, or `options` if that isn't an object. */
export function checkOptions<Options extends object>(
  options: Options,
  entries: OptionEntries<Options>,
): void {
  const given: unknown = options;
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw new InputError("options", "must be an object");
  }
  const names = Object.keys(entries);
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(entries, name));
  if (unknown !== undefined) {
    const hint = didYouMean(unknown, names) || ` Choose from: ${names.join(", ")}`;
    throw new InputError(shownName(unknown), `is not an option.${hint}`);
  }
  // A required option that is missing gets the same message as an invalid one.
  const all = names.map((name): [string, unknown] => [name, Reflect.get(given, name)]);
  parseInput(v.object(entries), Object.fromEntries(all));
}

/** Options by names that there are: a misspelt one would be passed over, and what it asks for never be done. */

import * as v from "valibot";
import { didYouMean } from "../base/did-you-mean.ts";
import { InputError, parseInput } from "../base/input.ts";
import { safeName } from "../base/safe-name.ts";

/** How each option is checked. A type says which there are, so that none is forgotten. */
export type OptionEntries<Options extends object> = Readonly<
  Record<keyof Options & string, v.GenericSchema>
>;

/** An option that is checked elsewhere. */
export const unchecked: v.GenericSchema = v.unknown();

/** A whole number that may be left out. `expected`: what one that is wrong is told. */
export function wholeBetween(least: number, most: number, expected: string): v.GenericSchema {
  return v.optional(
    v.pipe(
      v.number(expected),
      v.integer(expected),
      v.minValue(least, expected),
      v.maxValue(most, expected),
    ),
  );
}

/** @throws InputError for what is no object, and that names the option at fault. */
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
    const hint = didYouMean(unknown, names) || ` There is: ${names.join(", ")}`;
    throw new InputError(safeName(unknown), `is no option here.${hint}`);
  }
  // One that is left out is told what it must be, as one that is wrong.
  const all = names.map((name): [string, unknown] => [name, Reflect.get(given, name)]);
  parseInput(v.object(entries), Object.fromEntries(all));
}

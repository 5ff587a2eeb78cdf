/** Options of the test kit. Their types say what they may be; a misspelt one is refused: it would be ignored silently. */

import { parseInstant } from "../base/calendar.ts";
import { didYouMean } from "../base/did-you-mean.ts";
import { InputError } from "../base/input.ts";
import { shownName } from "../base/text.ts";
import type { SimulatorCore } from "../simulator/core.ts";

/** The default start of a simulator. */
export const DEFAULT_START = "2026-01-15T00:00:00Z";

type WithDefaults<Options, Defaults> = {
  readonly [Name in keyof Defaults]:
    | Exclude<Name extends keyof Options ? Options[Name] : never, undefined>
    | Defaults[Name];
};

/**
 * The options, with defaults for those that aren't given. The defaults have every option, perhaps as undefined.
 *
 * @throws InputError for an option that isn't among them.
 */
export function withDefaults<
  Options extends object,
  const Defaults extends { readonly [Name in keyof Options]-?: Options[Name] | undefined },
>(options: Options, defaults: Defaults): WithDefaults<Options, Defaults> {
  checkNames(options, Object.keys(defaults));
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return { ...defaults, ...Object.fromEntries(given) };
}

/** @throws InputError for an option that isn't among the names. */
export function checkNames(options: object, names: readonly string[]): void {
  if (typeof options !== "object" || options === null || Array.isArray(options))
    throw new InputError("options", "must be an object");
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const hint = didYouMean(unknown, names) || ` Choose from: ${names.join(", ")}`;
  throw new InputError(shownName(unknown), `is not an option.${hint}`);
}

/** @throws InputError for a list that is empty, or has a name that isn't known. */
export function checkKnown(
  field: string,
  given: readonly string[],
  known: readonly string[],
): void {
  if (given.length === 0) throw new InputError(field, "must not be an empty list");
  const place = given.findIndex((name) => !known.includes(name));
  if (place >= 0) throw new InputError(`${field}.${place}`, `must be one of ${known.join(", ")}`);
}

/** @throws InputError unless the text is an instant. */
export function instantMs(field: string, text: string): number {
  const ms = parseInstant(text);
  if (ms === undefined) throw new InputError(field, `must be an instant, such as ${DEFAULT_START}`);
  return ms;
}

export function isSimulator(value: unknown): value is SimulatorCore {
  if (typeof value !== "object" || value === null) return false;
  return ["publishers", "clock", "journal", "handle"].every((name) => name in value);
}

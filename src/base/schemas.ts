/**
 * Builds schemas that give good errors, in the same words everywhere, and convert to JSON Schema. For good errors a schema looks at
 * the input before it chooses what to check; a converter has to see every alternative. These schemas do both.
 */

import * as v from "valibot";
import { parseInstant } from "./calendar.ts";
import { unknownMember } from "./did-you-mean.ts";

/** A schema for input of unknown type. */
export type Schema<Output> = v.GenericSchema<unknown, Output>;

/** An object with these members and no others. An error suggests the member that was probably meant. */
export function strictObject<const Entries extends v.ObjectEntries>(entries: Entries) {
  const names = Object.keys(entries);
  return v.strictObject(entries, ({ expected, input, message }) =>
    expected === "never" ? unknownMember(String(input), names) : message,
  );
}

/** Validates with `run` but converts to JSON Schema as `shown`, which must accept everything that `run` accepts. */
export function withJsonSchema<Output>(shown: Schema<unknown>, run: Schema<Output>) {
  const both: Schema<unknown> = { ...shown, "~run": run["~run"].bind(run) };
  return both as Schema<Output>;
}

/** One of several schemas. `choose` picks the one that the input was meant for, so that errors come from that one. */
export function anyOf<Output>(
  schemas: readonly Schema<Output>[],
  choose: (input: unknown) => Schema<Output>,
): Schema<Output> {
  return withJsonSchema(v.union(schemas), v.lazy(choose));
}

/** An item or a list of items. `list` says how many it may have. */
export function oneOrMore<Item>(
  item: Schema<Item>,
  list: Schema<Item[]>,
): Schema<Item | readonly Item[]> {
  return anyOf<Item | readonly Item[]>([item, list], (input) =>
    Array.isArray(input) ? list : item,
  );
}

/** A member that may be left out. */
export function optional<Output>(schema: Schema<Output>, description?: string) {
  return v.optional(
    description === undefined ? schema : v.pipe(schema, v.description(description)),
  );
}

/** A schema that JSON Schema defines once, under this name. The getter lets schemas refer to each other. */
export function namedSchema<Output>(
  name: string,
  schemaOf: () => Schema<Output>,
  description?: string,
): Schema<Output> {
  let schema: Schema<Output> | undefined;
  return v.lazy(() => {
    schema ??= v.pipe(schemaOf(), v.title(name), v.metadata({ description }));
    return schema;
  });
}

/** The message for a field that isn't an instant. */
export const INSTANT_EXPECTED = 'must be an instant in ISO 8601, such as "2026-03-01T00:00:00Z"';

export const instantText: Schema<string> = namedSchema(
  "instant",
  () =>
    v.pipe(
      v.string(INSTANT_EXPECTED),
      v.check((text) => parseInstant(text) !== undefined, INSTANT_EXPECTED),
    ),
  'In ISO 8601, such as "2026-03-01T00:00:00Z".',
);

/** A safe integer of at least `least`. `more` is added to the error message. */
export function wholeFrom(least: number, more = ""): Schema<number> {
  const expected = `must be a whole number, ${least} or more${more}`;
  return v.pipe(v.number(expected), v.safeInteger(expected), v.minValue(least, expected));
}

/** A number within bounds, both included. */
export function numberBetween(least: number, most: number, what = "number"): Schema<number> {
  const expected = `must be a ${what} from ${least} to ${most}`;
  return v.pipe(v.number(expected), v.minValue(least, expected), v.maxValue(most, expected));
}

/** A safe integer within bounds, both included. */
export function wholeBetween(least: number, most: number): Schema<number> {
  const number = numberBetween(least, most, "whole number");
  return v.pipe(number, v.safeInteger(`must be a whole number from ${least} to ${most}`));
}

/**
 * Builds schemas that give good errors and convert to JSON Schema. For good errors a schema looks at the input before it
 * chooses what to check; a converter has to see every alternative. These schemas do both.
 */

import * as v from "valibot";
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

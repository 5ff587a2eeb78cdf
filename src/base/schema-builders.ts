/**
 * What a schema says of itself to tools. Errors are better where a schema looks at the input before it chooses what to
 * check; a converter to JSON Schema needs to see all that it can choose from. These schemas have both.
 */

import * as v from "valibot";

/** A schema that checks whatever comes. */
export type Schema<Output> = v.GenericSchema<unknown, Output>;

/** Runs as `run`, and shows itself to tools as `shown`. What `run` takes, `shown` must take, too. */
export function withJsonSchema<Output>(
  shown: Schema<unknown>,
  run: Schema<Output>,
): Schema<Output> {
  const both: Schema<unknown> = {
    ...shown,
    "~run": (dataset, config) => run["~run"](dataset, config),
  };
  return both as Schema<Output>;
}

/** One of several schemas: `choose` finds the one that the input is meant for, so that errors are that one's. */
export function anyOf<Output>(
  schemas: readonly Schema<Output>[],
  choose: (input: unknown) => Schema<Output>,
): Schema<Output> {
  return withJsonSchema(v.union(schemas), v.lazy(choose));
}

/** One, or a list of them that isn't empty. */
export function oneOrMore<Item>(
  item: Schema<Item>,
  list: Schema<Item[]>,
): Schema<Item | readonly Item[]> {
  return anyOf<Item | readonly Item[]>([item, list], (input) =>
    Array.isArray(input) ? list : item,
  );
}

/** With a sentence for editors. */
export function described<Output>(schema: Schema<Output>, description: string): Schema<Output> {
  return v.pipe(schema, v.description(description));
}

/** A member that may be left out. */
export function optional<Output>(
  schema: Schema<Output>,
  description?: string,
): v.OptionalSchema<Schema<Output>, undefined> {
  return v.optional(description === undefined ? schema : described(schema, description));
}

/** A part that JSON Schema defines once, under this name. The getter lets parts refer to one another. */
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

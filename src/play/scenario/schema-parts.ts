/** Building blocks for the scenario schemas, with error messages that suggest the nearest valid name. */

import * as v from "valibot";
import { didYouMean, formatList, unknownMember } from "../../base/did-you-mean.ts";
import { isPlainObject } from "../../base/input.ts";
import { type Schema, withJsonSchema } from "../../base/schema-builders.ts";

/** A schema for each member of a type. The compiler rejects missing, unknown and wrongly typed members. */
export type EntriesOf<Type> = {
  readonly [Key in keyof Type]-?: Record<never, never> extends Pick<Type, Key>
    ? v.OptionalSchema<Schema<Exclude<Type[Key], undefined>>, undefined>
    : Schema<Type[Key]>;
};

/** Why a name is not allowed; undefined if it is. */
type NameProblem = (name: string, value: unknown, all: readonly string[]) => string | undefined;

/** An object with the members of the type and no others. */
export function exactObject<Type>(entries: EntriesOf<Type>): Schema<Type> {
  const names = Object.keys(entries);
  return v.pipe(
    objectNamed((name) => {
      return names.includes(name) ? undefined : unknownMember(name, names);
    }),
    v.strictObject(entries as v.ObjectEntries),
  ) as Schema<unknown> as Schema<Type>;
}

/** An object of values under any names that `nameProblem` allows. */
export function recordOf<Output>(
  value: Schema<Output>,
  nameProblem: NameProblem = () => undefined,
  expected?: string,
  pattern?: RegExp,
): Schema<Readonly<Record<string, Output>>> {
  const record = v.record(v.string(), value);
  const name = pattern === undefined ? v.string() : v.pipe(v.string(), v.regex(pattern));
  return withJsonSchema(v.record(name, value), v.pipe(objectNamed(nameProblem, expected), record));
}

/** An object whose names are checked before its values. */
function objectNamed(
  nameProblem: NameProblem,
  expected = "must be an object",
): Schema<Readonly<Record<string, unknown>>> {
  return v.pipe(
    v.custom<Readonly<Record<string, unknown>>>(isPlainObject, expected),
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed) return;
      const input = dataset.value;
      const all = Object.keys(input);
      for (const name of all) {
        const message = nameProblem(name, input[name], all);
        if (message === undefined) continue;
        addIssue({ message, path: pathOf(input, [name]) });
        return;
      }
    }),
  );
}

/** The path of an issue within `input`. */
export function pathOf(
  input: unknown,
  [first, ...rest]: readonly [string, ...string[]],
): [v.IssuePathItem, ...v.IssuePathItem[]] {
  const item = (name: string): v.IssuePathItem => ({
    type: "unknown",
    origin: "value",
    input,
    key: /^\d+$/.test(name) ? Number(name) : name,
    value: undefined,
  });
  return [item(first), ...rest.map(item)];
}

export function invalid(message: string): Schema<never> {
  return v.custom<never>(() => false, message);
}

export function oneOf<const Choice extends string>(choices: readonly Choice[]): Schema<Choice> {
  return v.picklist(choices, ({ input }) => {
    const hint = typeof input === "string" ? didYouMean(input, choices) : "";
    return `must be one of ${formatList(choices, "or")}.${hint}`.replace(/\.$/, "");
  });
}

/** A non-empty text. */
export function textUpTo(most: number): Schema<string> {
  const expected = `must be a text of 1 to ${most} characters`;
  return v.pipe(v.string(expected), v.minLength(1, expected), v.maxLength(most, expected));
}

/** A non-empty list. */
export function listOf<Item>(item: Schema<Item>, what: string): Schema<Item[]> {
  return v.pipe(
    v.array(item, `must be a list of ${what}`),
    v.minLength(1, `must not be empty: give ${what}`),
  );
}

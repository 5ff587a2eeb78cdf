/** Checks users' input, options as well as control requests, against a schema. An error names the field at fault. */

import * as v from "valibot";
import { didYouMean } from "./did-you-mean.ts";
import { shownName } from "./text.ts";

/**
 * - `not-found`: the input is well-formed, but names something that doesn't exist.
 * - `absent`: the input may only be about something that exists, and it doesn't.
 * - `conflict`: the current state doesn't allow it.
 * - `gone`: the input names something that was dropped to make room.
 * - `too-much`: one request may not do this much.
 * - `too-large`, `unsupported-media-type`: the input as a whole can't be read.
 */
export type InputErrorReason =
  | "invalid"
  | "not-found"
  | "absent"
  | "conflict"
  | "gone"
  | "too-much"
  | "too-large"
  | "unsupported-media-type";

/** Invalid input. Nothing was changed. The message names the field and says what is expected there. */
export class InputError extends TypeError {
  override readonly name = "InputError";
  readonly field: string;
  /** The message without the field. */
  readonly expected: string;
  readonly reason: InputErrorReason;

  constructor(field: string, expected: string, reason: InputErrorReason = "invalid") {
    const sentence = /[.?]$/.test(expected) ? expected : `${expected}.`;
    super(`${field} ${sentence}`.trimStart());
    this.field = field;
    this.expected = sentence;
    this.reason = reason;
  }
}

/**
 * The input if it is an object that the schema accepts. `whole` is the name of the input in errors.
 *
 * @throws InputError that names the first field at fault.
 */
export function parseInput<Schema extends v.GenericSchema>(
  schema: Schema,
  input: unknown,
  whole = "",
): v.InferOutput<Schema> {
  // To an object schema a list is an object without members.
  if (Array.isArray(input)) throw new InputError(whole, "must be an object, not a list");
  const { success, output, issues } = v.safeParse(schema, input, { abortEarly: true });
  if (success) return output;
  const [{ path = [] }] = issues;
  // The path may hold names that the sender invented.
  const field = path.map(({ key }) => shownName(String(key))).join(".");
  throw new InputError(field || whole, describe(issues[0]));
}

/** Runs `check` on a part of the input. @throws InputError of `check`, with `field` in front of the field that it names. */
export function inField<Result>(field: string, check: () => Result): Result {
  return renamingField((inner) => (inner === "" ? field : `${field}.${inner}`), check);
}

/** Runs `check`. @throws InputError of `check`, under this name of the field. */
export function underName<Result>(field: string, check: () => Result): Result {
  return renamingField(() => field, check);
}

/** Runs `check`. @throws InputError of `check`, with the name that `nameOf` gives to its field. */
export function renamingField<Result>(nameOf: (field: string) => string, check: () => Result) {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new InputError(nameOf(error.field), error.expected, error.reason);
  }
}

/** Whether it is an object as JSON or an object literal makes it: not a list, a `Map` or an instance of a class. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  // An object from another realm, such as a test runner's, has that realm's Object.prototype.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

const kinds: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  boolean: "a boolean",
  Object: "an object",
  Array: "a list",
  unknown: "of another kind",
};

function describe({ kind, type, message, expected, input }: v.BaseIssue<unknown>): string {
  const isUsual = message.startsWith("Invalid ");
  if (isUsual && expected === "never") return "is not known here";
  if (!isUsual || kind !== "schema") return message;
  if (/^(?:strict|loose)_object$/.test(type) && expected?.startsWith('"')) return "is required";
  // Valibot writes a choice as ("a" | "b").
  const choices = /^\("(.*)"\)$/.exec(expected ?? "")?.[1]?.split('" | "');
  if (choices === undefined) return `must be ${kinds[expected ?? ""] ?? expected}${notSent(input)}`;
  const listed = choices.map((choice) => JSON.stringify(choice)).join(", ");
  const hint = typeof input === "string" ? didYouMean(input, choices) : "";
  return `must be one of ${listed}${notSent(input)}${hint && `.${hint}`}`;
}

/** `, not a list`: names what was sent. Repeats the beginning of a text. */
export function notSent(sent: unknown): string {
  if (typeof sent === "string") return `, not ${JSON.stringify(shownName(sent))}`;
  if (typeof sent === "function") return ", not a function";
  if (sent === null || typeof sent !== "object") return `, not ${String(sent)}`;
  return Array.isArray(sent) ? ", not a list" : ", not an object";
}

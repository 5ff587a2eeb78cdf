/** Input from users, options and control requests alike: checked against a schema, refused by the field's name. */

import * as v from "valibot";
import { safeName } from "./safe-name.ts";

/**
 * - `not-found`: the input is well-formed and names nothing.
 * - `conflict`: it can't be done now.
 * - `gone`: what it names was dropped to make room.
 * - `too-much`: it would take more than one request may.
 */
export type InputErrorReason = "invalid" | "not-found" | "conflict" | "gone" | "too-much";

/** Wrong input. Nothing was changed. `field` is where, the message says what is expected there. */
export class InputError extends TypeError {
  override readonly name = "InputError";
  readonly field: string;
  /** The message without the field: what is expected there. */
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
 * The input, an object, in the schema's type. `whole`: what it is called.
 *
 * @throws InputError that names the first field at fault.
 */
export function parseInput<Schema extends v.GenericSchema>(
  schema: Schema,
  input: unknown,
  whole = "",
): v.InferOutput<Schema> {
  // A schema of an object takes a list for one without members.
  if (Array.isArray(input)) throw new InputError(whole, "must be an object, not a list");
  const result = v.safeParse(schema, input, { abortEarly: true });
  if (result.success) return result.output;
  const [issue] = result.issues;
  throw new InputError(fieldOf(issue) || whole, describe(issue));
}

/**
 * What `check` gives for a part of the input.
 *
 * @throws InputError of `check`, with its field named as one of the whole.
 */
export function inField<Result>(field: string, check: () => Result): Result {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const inner = error.field === "" ? field : `${field}.${error.field}`;
    throw new InputError(inner, error.expected, error.reason);
  }
}

/** Whether it is an object as JSON and literals make it: no list, no `Map`, none of a class. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  // An object of another realm, such as a test runner's, has that realm's.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** The path to the field, fit to be repeated: names in it can be the sender's own. */
function fieldOf({ path }: v.BaseIssue<unknown>): string {
  const parts = path?.map(({ key }) => (typeof key === "string" ? safeName(key) : String(key)));
  return parts?.join(".") ?? "";
}

function describe(issue: v.BaseIssue<unknown>): string {
  if (issue.expected === "never") return "is not known here";
  if (issue.kind !== "schema" || !issue.message.startsWith("Invalid ")) return issue.message;
  const isMissing = issue.type === "strict_object" || issue.type === "loose_object";
  if (isMissing && issue.expected?.startsWith('"')) return "is required";
  return `must be ${kindOf(issue.expected ?? "something else")}${notWhatWasSent(issue.input)}`;
}

const kinds: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  boolean: "a boolean",
  Object: "an object",
  Array: "a list",
  unknown: "of another kind",
};

function kindOf(expected: string): string {
  // Valibot writes a choice as ("a" | "b").
  const choice = /^\((".*")\)$/.exec(expected)?.[1];
  if (choice !== undefined) return `one of ${choice.replaceAll(" | ", ", ")}`;
  return kinds[expected] ?? expected;
}

/** What was sent instead. Of a text only what can't be a key. */
function notWhatWasSent(sent: unknown): string {
  if (typeof sent === "string") {
    return safeName(sent) === sent ? `, not ${JSON.stringify(sent)}` : "";
  }
  if (typeof sent === "function") return ", not a function";
  if (sent === null || typeof sent !== "object") return `, not ${String(sent)}`;
  return Array.isArray(sent) ? ", not a list" : ", not an object";
}

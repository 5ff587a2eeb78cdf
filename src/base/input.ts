/** Input from users, options and control requests alike: checked against a schema, refused by the field's name. */

import * as v from "valibot";

/** Wrong input. Nothing was changed. `field` is where, the message says what is expected there. */
export class InputError extends TypeError {
  override readonly name = "InputError";
  readonly field: string;
  /** `not-found`: the input is well-formed and names nothing. `conflict`: it can't be done now. */
  readonly reason: "invalid" | "not-found" | "conflict";

  constructor(
    field: string,
    expected: string,
    reason: "invalid" | "not-found" | "conflict" = "invalid",
  ) {
    super(`${field} ${expected}${/[.?]$/.test(expected) ? "" : "."}`.trimStart());
    this.field = field;
    this.reason = reason;
  }
}

/** The input in the schema's type. @throws InputError that names the first field at fault. */
export function parseInput<Schema extends v.GenericSchema>(
  schema: Schema,
  input: unknown,
): v.InferOutput<Schema> {
  const result = v.safeParse(schema, input, { abortEarly: true });
  if (result.success) return result.output;
  const [issue] = result.issues;
  throw new InputError(v.getDotPath(issue) ?? "", describe(issue));
}

function describe(issue: v.BaseIssue<unknown>): string {
  if (issue.expected === "never") return "is not known here";
  if (issue.kind === "schema" && issue.message.startsWith("Invalid ")) {
    return `must be ${issue.expected ?? "something else"}, not ${issue.received}`;
  }
  return issue.message;
}

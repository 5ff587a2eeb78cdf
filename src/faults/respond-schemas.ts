/** Checks the answer that a rule gives instead of the service: headers that every transport can send, and a body. */

import * as v from "valibot";
import { isPlainObject } from "../base/input.ts";
import { type Schema, withJsonSchema } from "../base/schema-builders.ts";

const MAX_BODY_CHARACTERS = 1_048_576;

/** Headers that only the transport can set: they concern the connection or the length of the body. */
const reserved: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Headers by name, in any case. */
export type Headers = Readonly<Record<string, string>>;

// Valibot's record would skip names such as "constructor".
const checkedHeaders = v.pipe(
  v.custom<Readonly<Record<string, unknown>>>(
    isPlainObject,
    'must be an object of strings by header name, such as { "retry-after": "5" }',
  ),
  v.rawTransform(({ dataset, addIssue, NEVER }): Headers => {
    const sent = dataset.value;
    const names = new Set<string>();
    for (const [name, value] of Object.entries(sent)) {
      const wrong = headerProblem(name, value, names);
      names.add(name.toLowerCase());
      if (wrong === undefined) continue;
      addIssue({
        message: wrong,
        path: [{ type: "object", origin: "value", input: sent, key: name, value }],
      });
      return NEVER;
    }
    return { ...sent } as Headers;
  }),
);
export const headersSchema: Schema<Headers> = withJsonSchema(
  v.record(v.string(), v.string()),
  checkedHeaders,
);

function headerProblem(
  name: string,
  value: unknown,
  before: ReadonlySet<string>,
): string | undefined {
  const lower = name.toLowerCase();
  // Assigning to __proto__ changes an object's prototype.
  if (!/^[!#$%&'*+.^_`|~0-9a-z-]{1,256}$/.test(lower) || lower === "__proto__") {
    return "is not a valid header name";
  }
  if (reserved.has(lower)) return "can't be set: the transport sets it";
  if (before.has(lower)) return "is repeated: upper and lower case are the same name";
  if (typeof value !== "string") return "must be a string";
  const isSendable = /^([\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?)?$/.test(value);
  return isSendable ? undefined : "must be printable ASCII, without a space at either end";
}

/** A text, or a copy of a value after a round trip through JSON. */
export const bodySchema: Schema<unknown> = v.pipe(
  v.unknown(),
  v.rawTransform(({ dataset: { value }, addIssue, NEVER }): unknown => {
    const text = ArrayBuffer.isView(value) ? undefined : lenientText(value);
    if (text !== undefined && text.length <= MAX_BODY_CHARACTERS && text.isWellFormed()) {
      return typeof value === "string" ? value : JSON.parse(text);
    }
    const message = `must be well-formed text or a value that JSON can write, at most ${MAX_BODY_CHARACTERS} characters long`;
    addIssue({ message });
    return NEVER;
  }),
);

/** The text of a body as it is sent; undefined if JSON can't write it. */
export function lenientText(body: unknown): string | undefined {
  if (typeof body === "string") return body;
  try {
    return JSON.stringify(body);
  } catch {
    return undefined;
  }
}

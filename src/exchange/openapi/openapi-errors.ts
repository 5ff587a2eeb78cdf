/** The schema of error bodies in the API's document: one for each shape that they can have. */

import type { Assumptions, Choice } from "../../spec/assumptions/catalogue.ts";
import { errorKinds } from "../../spec/errors.ts";
import type { JsonSchema } from "../../spec/responses.ts";

/** The schema of every error body; undefined where errors have none. */
export function problemSchemaOf(assumptions: Assumptions): JsonSchema | undefined {
  return schemas[assumptions["errors.body"]];
}

const text: JsonSchema = { type: "string", minLength: 1 };
const detail: JsonSchema = { ...text, description: "What is wrong, for people" };
const parameter: JsonSchema = { ...text, description: "The parameter at fault, where it is one" };
const code: JsonSchema = {
  type: "string",
  enum: Object.keys(errorKinds),
  description: "What is wrong, for programs",
};

/** An object with these properties. All are required but `parameter`. */
function record(description: string, properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const required = Object.keys(properties).filter((name) => name !== "parameter");
  return { type: "object", description, properties, required };
}

const entry = record("What is wrong", { code, message: detail, parameter });

const schemas = {
  problem: record("Why a request was refused, as RFC 9457 problem details", {
    type: { type: "string", pattern: "^urn:adsim:error:[a-z_]+$" },
    title: { ...text, description: "The kind of error, for people" },
    status: { type: "integer", minimum: 400, maximum: 599, description: "The HTTP status" },
    detail,
    code,
    parameter,
  }),
  envelope: record("Why a request was refused", { error: entry }),
  flat: record("Why a request was refused", { error: detail }),
  list: record("Why a request was refused", {
    errors: { type: "array", items: entry, minItems: 1, maxItems: 1 },
  }),
  text: detail,
  html: { ...text, description: "A page for people that says what is wrong" },
  empty: undefined,
} satisfies Record<Choice<"errors.body">, JsonSchema | undefined>;

/** The schemas of error bodies in the API's document: one for each shape that they can have. */

import type { Assumptions, Choice } from "../assumptions/catalogue.ts";
import { type ErrorCode, errorKinds } from "../contract/errors.ts";
import type { JsonSchema } from "../contract/responses.ts";

export interface ErrorSchema {
  /** Any error's body; undefined where errors have none. */
  readonly shape: JsonSchema | undefined;
  /** The body of these errors with this status. */
  narrowed(status: number, codes: readonly ErrorCode[]): JsonSchema;
}

export function errorSchemaOf(assumptions: Assumptions): ErrorSchema {
  return schemas[assumptions["errors.body"]];
}

const text: JsonSchema = { type: "string", minLength: 1 };
const detail: JsonSchema = { ...text, description: "What is wrong, for people" };
const parameter: JsonSchema = { ...text, description: "The parameter at fault" };
const code: JsonSchema = { enum: Object.keys(errorKinds) };

/** An object with these properties and no other. All are required but `parameter`. */
function record(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return {
    type: "object",
    properties,
    required: Object.keys(properties).filter((name) => name !== "parameter"),
    additionalProperties: false,
  };
}

const any: JsonSchema = { $ref: "#/components/schemas/Error" };

function anyWith(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { allOf: [any, { properties }] };
}

const schemas = {
  problem: {
    shape: {
      type: "object",
      description: "RFC 9457 problem details",
      ...record({
        type: { type: "string", pattern: "^urn:adsim:error:[a-z_]+$" },
        title: text,
        status: { type: "integer", minimum: 400, maximum: 599 },
        detail,
        code,
        parameter,
      }),
    },
    narrowed: (status, codes) => anyWith({ status: { const: status }, code: { enum: codes } }),
  },
  envelope: {
    shape: record({ error: record({ code, message: detail, parameter }) }),
    narrowed: (_status, codes) => anyWith({ error: { properties: { code: { enum: codes } } } }),
  },
  flat: {
    shape: record({ error: detail }),
    narrowed: () => any,
  },
  list: {
    shape: record({
      errors: {
        type: "array",
        items: record({ code, message: detail, parameter }),
        minItems: 1,
        maxItems: 1,
      },
    }),
    narrowed: (_status, codes) =>
      anyWith({ errors: { items: { properties: { code: { enum: codes } } } } }),
  },
  text: { shape: detail, narrowed: () => any },
  html: { shape: { ...text, description: "A page for people" }, narrowed: () => any },
  empty: { shape: undefined, narrowed: () => any },
} satisfies Record<Choice<"errors.body">, ErrorSchema>;

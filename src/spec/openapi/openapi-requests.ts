/** The requests in the OpenAPI document: parameters in the query or in a body, depending on `request.encoding`. */

import type { Assumptions, Choice } from "../assumptions/catalogue.ts";
import { contentTypes, type Encoding } from "../build-request.ts";
import type { Operation, Parameter } from "../operations.ts";
import type { JsonSchema } from "../responses.ts";

/** Parameter values by name. */
export type Values = Readonly<Record<string, string | number>>;

/** A way to send parameters. */
interface ParameterEncoding {
  readonly encoding: Encoding;
  readonly about: string;
}

const inQuery: ParameterEncoding = { encoding: "query", about: "" };
const inForm: ParameterEncoding = {
  encoding: "form",
  about: "The parameters as a form. The service accepts no other encoding.",
};
const inJson: ParameterEncoding = {
  encoding: "json",
  about: "The parameters as JSON. The service accepts no other encoding.",
};

/** If the service accepts any encoding, the document lists only JSON: client generators mix up several alternatives. */
const bodyEncodings = {
  any: {
    ...inJson,
    about:
      "The parameters as JSON. The service also accepts them, with the same names, in a body of the type " +
      `${contentTypes.form} or in the query.`,
  },
  json: inJson,
  form: inForm,
  query: inQuery,
} satisfies Record<Choice<"request.encoding">, ParameterEncoding>;

/** The encoding that the document describes for an operation. */
export function parameterEncodingOf(
  { method }: Operation,
  assumptions: Assumptions,
): ParameterEncoding {
  return method === "GET" ? inQuery : bodyEncodings[assumptions["request.encoding"]];
}

/** Describes the request of an operation. `values` are its example. Adds named schemas to `schemas`. */
export function describeRequest(
  operation: Operation,
  assumptions: Assumptions,
  values: Values | undefined,
  schemas: Record<string, JsonSchema>,
): { readonly parameters: readonly unknown[] } | { readonly requestBody: unknown } {
  const { encoding, about } = parameterEncodingOf(operation, assumptions);
  const sent = Object.entries(operation.parameters);
  if (encoding === "query") {
    const parameters = sent.map(([name, parameter]) => ({
      name,
      in: "query",
      required: parameter.required,
      description: parameter.about,
      schema: parameterSchema(parameter, assumptions),
      ...(values === undefined ? {} : { example: values[name] }),
    }));
    return { parameters };
  }
  const name = `${operation.id.charAt(0).toUpperCase()}${operation.id.slice(1)}Request`;
  const described = sent.map(([name, parameter]) => [
    name,
    { ...parameterSchema(parameter, assumptions), description: parameter.about },
  ]);
  schemas[name] = {
    type: "object",
    description: `Parameters of the operation: ${operation.about}`,
    properties: Object.fromEntries(described),
    required: sent.flatMap(([name, parameter]) => (parameter.required ? [name] : [])),
    ...unknownParameters[assumptions["request.values"]],
  };
  const schema = { $ref: `#/components/schemas/${name}` };
  const content = {
    [contentTypes[encoding]]: { schema, ...(values === undefined ? {} : { example: values }) },
  };
  return { requestBody: { description: about, required: true, content } };
}

const unknownParameters = {
  lenient: {},
  strict: { additionalProperties: false },
} satisfies Record<Choice<"request.values">, JsonSchema>;

const boundsLimit = { reject: true, clamp: false } satisfies Record<
  Choice<"payout.limit-over-max">,
  boolean
>;

function parameterSchema(parameter: Parameter, assumptions: Assumptions): JsonSchema {
  switch (parameter.type) {
    case "string":
      return { type: "string", minLength: 1 };
    case "date":
      return { type: "string", format: "date" };
    case "integer":
      return {
        type: "integer",
        minimum: parameter.minimum,
        ...(boundsLimit[assumptions["payout.limit-over-max"]]
          ? { maximum: parameter.maximum }
          : {}),
        default: parameter.default,
      };
  }
}

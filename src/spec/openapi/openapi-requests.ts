/** The requests of the API's document: parameters in the query or in a body, depending on `request.encoding`. */

import type { Assumptions, Choice } from "../assumptions/catalogue.ts";
import { contentTypes, type Encoding } from "../build-request.ts";
import type { ApiRequest } from "../messages.ts";
import type { Operation, Parameter } from "../operations.ts";
import type { JsonSchema } from "../responses.ts";

/** Values of parameters, by name. */
export type Values = Readonly<Record<string, string | number>>;

/** A way to send parameters. */
export interface ParameterEncoding {
  readonly encoding: Encoding;
  readonly about: string;
  /** Parameters that were written, sent a second time. */
  twice(written: string): string;
  /** A text that can't be read. */
  readonly broken: string;
}

const pairs = {
  twice: (written: string): string => `${written}&${written}`,
  broken: "%ff=1",
};
const inQuery: ParameterEncoding = { ...pairs, encoding: "query", about: "" };
const inForm: ParameterEncoding = {
  ...pairs,
  encoding: "form",
  about: "The parameters as a form. They are read in no other way.",
};
const inJson: ParameterEncoding = {
  encoding: "json",
  about: "The parameters as JSON. They are read in no other way.",
  twice: (written) => `${written.slice(0, -1)},${written.slice(1)}`,
  broken: "{",
};

/** Where several ways are read the document has JSON alone: client generators mix several up, or choose one by chance. */
const writings = {
  any: {
    ...inJson,
    about:
      "The parameters as JSON. The service also reads them, by the same names, from a body of the type " +
      `${contentTypes.form}, or from the query.`,
  },
  json: inJson,
  form: inForm,
  query: inQuery,
} satisfies Record<Choice<"request.encoding">, ParameterEncoding>;

/** How the document has an operation's parameters sent. */
export function parameterEncodingOf(
  { method }: Operation,
  assumptions: Assumptions,
): ParameterEncoding {
  return method === "GET" ? inQuery : writings[assumptions["request.encoding"]];
}

/** The request with this text in place of its parameters. */
export function withText(request: ApiRequest, text: string): ApiRequest {
  return request.body === undefined ? { ...request, query: text } : { ...request, body: text };
}

/** The parameters of a request as they are written. */
export function textOf({ query, body = query }: ApiRequest): string {
  return String(body);
}

/** What an operation's description has about its request. `values`: its example. `schemas`: named ones are put there. */
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
    description: `Parameters of: ${operation.about}`,
    properties: Object.fromEntries(described),
    required: sent.flatMap(([name, parameter]) => (parameter.required ? [name] : [])),
    ...unknownParameters[assumptions["request.unknown-fields"]],
  };
  const schema = { $ref: `#/components/schemas/${name}` };
  const content = {
    [contentTypes[encoding]]: { schema, ...(values === undefined ? {} : { example: values }) },
  };
  return { requestBody: { description: about, required: true, content } };
}

const unknownParameters = {
  ignore: {},
  reject: { additionalProperties: false },
} satisfies Record<Choice<"request.unknown-fields">, JsonSchema>;

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

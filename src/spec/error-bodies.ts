/** The shapes of an error body, which the spec leaves open (spec §7). `detail` is written for people and holds no secrets. */

import type { Choice } from "./assumptions/catalogue.ts";
import { errorKinds, type Rejection } from "./errors.ts";
import type { JsonSchema } from "./responses.ts";

/** Without a body, its type and schema are undefined. */
interface ErrorBody {
  readonly contentType: string | undefined;
  write(rejection: Rejection, status: number): string;
  readonly schema: JsonSchema | undefined;
}

const text: JsonSchema = { type: "string", minLength: 1 };
const detail: JsonSchema = { ...text, description: "Describes the error to people" };
const parameter: JsonSchema = { ...text, description: "The invalid parameter, if there is one" };
const code: JsonSchema = {
  type: "string",
  enum: Object.keys(errorKinds),
  description: "Identifies the error to programs",
};

/** The schema of an object with these properties. Only `parameter` is optional. */
function record(description: string, properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const required = Object.keys(properties).filter((name) => name !== "parameter");
  return { type: "object", description, properties, required };
}

function json(
  schema: JsonSchema,
  bodyOf: (rejection: Rejection, status: number) => object,
  contentType = "application/json",
): ErrorBody {
  return { contentType, schema, write: (...refusal) => JSON.stringify(bodyOf(...refusal)) };
}

const refused = "Why a request was refused";
const entry = record("The error", { code, message: detail, parameter });
const entryOf = ({ detail: message, code, parameter }: Rejection) => ({ code, message, parameter });

export const errorBodies: Readonly<Record<Choice<"errors.body">, ErrorBody>> = {
  problem: json(
    record(`${refused}, as RFC 9457 problem details`, {
      type: { type: "string", pattern: "^urn:adsim:error:[a-z_]+$" },
      title: { ...text, description: "The kind of error, for people" },
      status: { type: "integer", minimum: 400, maximum: 599, description: "The HTTP status" },
      detail,
      code,
      parameter,
    }),
    ({ code, detail, parameter }, status) => {
      const { title } = errorKinds[code];
      return { type: `urn:adsim:error:${code}`, title, status, detail, code, parameter };
    },
    "application/problem+json",
  ),
  envelope: json(record(refused, { error: entry }), (rejection) => ({ error: entryOf(rejection) })),
  flat: json(record(refused, { error: detail }), ({ detail }) => ({ error: detail })),
  list: json(
    record(refused, { errors: { type: "array", items: entry, minItems: 1, maxItems: 1 } }),
    (rejection) => ({ errors: [entryOf(rejection)] }),
  ),
  text: { contentType: "text/plain; charset=utf-8", write: ({ detail }) => detail, schema: detail },
  html: {
    contentType: "text/html; charset=utf-8",
    write: ({ code, detail }) => errorPage(errorKinds[code].title, detail),
    schema: { ...text, description: "An HTML page that describes the error to people" },
  },
  empty: { contentType: undefined, write: () => "", schema: undefined },
};

/** A page that says the same in a browser. */
export function errorPage(title: string, detail: string): string {
  const [heading, text] = [escaped(title), escaped(detail)];
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${heading}</title></head>` +
    `<body><h1>${heading}</h1><p>${text}</p></body></html>`
  );
}

const entities: Record<string, string> = { "&": "amp", "<": "lt", ">": "gt", '"': "quot" };

function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => `&${entities[character]};`);
}

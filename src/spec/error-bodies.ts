/** The shapes of an error body, which the spec leaves open (spec §7). `detail` is written for people and holds no secrets. */

import type { Choice } from "./assumptions/catalogue.ts";
import { errorKinds, type Rejection } from "./errors.ts";
import type { JsonSchema } from "./responses.ts";

export interface ErrorBody {
  /** Undefined if there is no body. */
  readonly contentType: string | undefined;
  write(rejection: Rejection, status: number): string;
  /** For the OpenAPI document; undefined if there is no body. */
  readonly schema: JsonSchema | undefined;
}

const JSON_TYPE = "application/json";

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

const entry = record("The error", { code, message: detail, parameter });

export const errorBodies: Readonly<Record<Choice<"errors.body">, ErrorBody>> = {
  problem: {
    contentType: "application/problem+json",
    write: (rejection, status) =>
      JSON.stringify({
        type: `urn:adsim:error:${rejection.code}`,
        title: errorKinds[rejection.code].title,
        status,
        detail: rejection.detail,
        code: rejection.code,
        parameter: rejection.parameter,
      }),
    schema: record("Why a request was refused, as RFC 9457 problem details", {
      type: { type: "string", pattern: "^urn:adsim:error:[a-z_]+$" },
      title: { ...text, description: "The kind of error, for people" },
      status: { type: "integer", minimum: 400, maximum: 599, description: "The HTTP status" },
      detail,
      code,
      parameter,
    }),
  },
  envelope: {
    contentType: JSON_TYPE,
    write: (rejection) => JSON.stringify({ error: entryOf(rejection) }),
    schema: record("Why a request was refused", { error: entry }),
  },
  flat: {
    contentType: JSON_TYPE,
    write: ({ detail }) => JSON.stringify({ error: detail }),
    schema: record("Why a request was refused", { error: detail }),
  },
  list: {
    contentType: JSON_TYPE,
    write: (rejection) => JSON.stringify({ errors: [entryOf(rejection)] }),
    schema: record("Why a request was refused", {
      errors: { type: "array", items: entry, minItems: 1, maxItems: 1 },
    }),
  },
  text: {
    contentType: "text/plain; charset=utf-8",
    write: ({ detail }) => detail,
    schema: detail,
  },
  html: {
    contentType: "text/html; charset=utf-8",
    write: ({ code, detail }) => errorPage(errorKinds[code].title, detail),
    schema: { ...text, description: "An HTML page that describes the error to people" },
  },
  empty: {
    contentType: undefined,
    write: () => "",
    schema: undefined,
  },
};

function entryOf({ code, detail, parameter }: Rejection): object {
  return { code, message: detail, parameter };
}

/** A page that says the same in a browser. */
export function errorPage(title: string, detail: string): string {
  const [heading, text] = [escaped(title), escaped(detail)];
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${heading}</title></head>` +
    `<body><h1>${heading}</h1><p>${text}</p></body></html>`
  );
}

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

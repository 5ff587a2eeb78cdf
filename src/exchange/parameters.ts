/** Reads query and body into raw values by name (spec §4). Refuses ambiguous input. */

import { percentDecoded, shownName, utf8Length, utf8Text } from "../base/text.ts";
import type { Assumptions, Choice } from "../spec/assumptions/catalogue.ts";
import type { RequestParts } from "../spec/messages.ts";
import type { Operation } from "../spec/operations.ts";
import { headerOf } from "./headers.ts";
import { type Refusal, refused } from "./operations/outcome.ts";

/** The operation's parameters as they were sent, by name: text, or any JSON value. */
export type RawParameters = Readonly<Record<string, unknown>>;

export interface SentParameters {
  readonly raw: RawParameters;
  /** The names of parameters that the operation doesn't have. */
  readonly unknown: readonly string[];
}

export type Parsed = ({ readonly kind: "parameters" } & SentParameters) | Refusal;

export type ParameterParser = (request: ParameterSource) => Parsed;

/** The parts of a request that may carry parameters. */
export type ParameterSource = Pick<RequestParts, "query" | "headers" | "body">;

/** The maximum size of a body. An adapter needn't pass on more than one byte above it. */
export const MAX_BODY_BYTES = 65_536;
/** In characters. */
const MAX_QUERY_LENGTH = 8192;

/** The names of an operation's parameters. */
type Names = ReadonlySet<string>;

const none: Parsed = { kind: "parameters", raw: Object.freeze({}), unknown: [] };

/** Read the parameters of a POST operation. */
const encodings = {
  any: (request, names) => readAny(request, names, anyBody),
  json: (request, names) => readBodyOnly(request, names, jsonBody),
  form: (request, names) => readBodyOnly(request, names, formBody),
  query: ({ body, query }, names) =>
    body.length === 0 ? readPairs(query, names, "query") : bodyRefused,
} satisfies Record<Choice<"request.encoding">, (request: ParameterSource, names: Names) => Parsed>;

export function createParameterParser(
  assumptions: Assumptions,
  operation: Operation,
): ParameterParser {
  const names: Names = new Set(Object.keys(operation.parameters));
  const readPost = encodings[assumptions["request.encoding"]];
  return (request) => {
    if (request.query.length > MAX_QUERY_LENGTH) {
      return refused({
        code: "query_too_long",
        detail: `The query has ${request.query.length} characters; the maximum is ${MAX_QUERY_LENGTH}.`,
      });
    }
    if (isTooLarge(request.body)) return tooLarge;
    return operation.method === "POST"
      ? readPost(request, names)
      : readPairs(request.query, names, "query");
  };
}

const tooLarge = refused({
  code: "body_too_large",
  detail: `The body is larger than ${MAX_BODY_BYTES} bytes, the maximum.`,
});

function isTooLarge(body: string | Uint8Array): boolean {
  // A text has at least as many bytes as UTF-16 units, and at most three times as many.
  if (typeof body !== "string" || body.length * 3 <= MAX_BODY_BYTES) {
    return body.length > MAX_BODY_BYTES;
  }
  return body.length > MAX_BODY_BYTES || utf8Length(body) > MAX_BODY_BYTES;
}

/** Refuses a parameter of the operation in the query. Other names there count as unknown parameters. */
function readBodyOnly(request: ParameterSource, names: Names, types: BodyTypes): Parsed {
  const inQuery = readPairs(request.query, names, "query");
  if (inQuery.kind === "refused") return inQuery;
  return Object.keys(inQuery.raw).length > 0 ? types.others : readAny(request, names, types);
}

function readAny(request: ParameterSource, names: Names, types: BodyTypes): Parsed {
  if (request.body.length === 0) return readPairs(request.query, names, "query");
  const inBody = readBody(request, names, types);
  if (inBody.kind === "refused" || request.query === "") return inBody;
  const inQuery = readPairs(request.query, names, "query");
  if (inQuery.kind === "refused") return inQuery;
  const twice = Object.keys(inQuery.raw).find((name) => Object.hasOwn(inBody.raw, name));
  if (twice !== undefined) return duplicate(twice, "in the query and in the body");
  return {
    kind: "parameters",
    raw: { ...inBody.raw, ...inQuery.raw },
    unknown: [...inBody.unknown, ...inQuery.unknown],
  };
}

/** The accepted types of bodies. */
interface BodyTypes {
  /** The type of a body without Content-Type. */
  readonly assumed: string;
  readonly readers: ReadonlyMap<string, (body: string | Uint8Array, names: Names) => Parsed>;
  /** Refuses parameters that are sent in another way. */
  readonly others: Refusal;
}

const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";

const anyBody: BodyTypes = {
  assumed: JSON_TYPE,
  readers: new Map([
    [JSON_TYPE, readJson],
    [FORM_TYPE, readForm],
  ]),
  others: wrongEncoding(`Send parameters as ${JSON_TYPE}, as ${FORM_TYPE}, or in the query.`),
};
const jsonBody: BodyTypes = {
  assumed: JSON_TYPE,
  readers: new Map([[JSON_TYPE, readJson]]),
  others: wrongEncoding(`Send parameters in the body, as ${JSON_TYPE}, and none in the query.`),
};
const formBody: BodyTypes = {
  assumed: FORM_TYPE,
  readers: new Map([[FORM_TYPE, readForm]]),
  others: wrongEncoding(`Send parameters in the body, as ${FORM_TYPE}, and none in the query.`),
};
const bodyRefused = wrongEncoding("Send parameters in the query, and no body.");

function wrongEncoding(detail: string): Refusal {
  return refused({ code: "unsupported_media_type", detail }, "request.encoding");
}

function readBody(request: ParameterSource, names: Names, types: BodyTypes): Parsed {
  const coding = headerOf(request.headers, "content-encoding");
  if (coding !== undefined && !/^[\s,]*(?:identity[\s,]*)*$/i.test(coding)) return encodedBody;
  const contentType = headerOf(request.headers, "content-type") ?? types.assumed;
  const usual = types.readers.get(contentType);
  if (usual !== undefined) return usual(request.body, names);
  const [mediaType = "", ...attributes] = contentType.toLowerCase().split(";");
  const charset = attributes.find((attribute) => attribute.trim().startsWith("charset="));
  if (charset !== undefined && !/^\s*charset="?utf-?8"?\s*$/.test(charset)) {
    return refused({ code: "unsupported_media_type", detail: "The body must be in UTF-8." });
  }
  const read = types.readers.get(mediaType.trim());
  return read === undefined ? types.others : read(request.body, names);
}

const encodedBody = refused({
  code: "unsupported_media_type",
  detail: "A Content-Encoding is not supported. Send the body uncompressed.",
});

const invalidUtf8 = refused({
  code: "malformed_body",
  detail: "The body is not valid UTF-8.",
});

/** Without a byte order mark. Undefined if the bytes aren't valid UTF-8. */
export function textOfBody(body: string | Uint8Array): string | undefined {
  const text = utf8Text(body);
  return text?.startsWith("\ufeff") ? text.slice(1) : text;
}

function readForm(body: string | Uint8Array, names: Names): Parsed {
  const text = textOfBody(body);
  return text === undefined ? invalidUtf8 : readPairs(text, names, "form");
}

function readJson(body: string | Uint8Array, names: Names): Parsed {
  const text = textOfBody(body);
  if (text === undefined) return invalidUtf8;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refused({ code: "malformed_body", detail: "The body is not valid JSON." });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return refused({
      code: "malformed_body",
      detail: "The JSON body must be an object whose members are the parameters.",
    });
  }
  const unknown = Object.keys(value).filter((name) => !names.has(name));
  // A JSON object is a record of JSON values.
  const all = value as RawParameters;
  const raw = unknown.length === 0 ? all : onlyNamed(all, names);
  return { kind: "parameters", raw, unknown };
}

function onlyNamed(all: RawParameters, names: Names): RawParameters {
  return Object.fromEntries(Object.entries(all).filter(([name]) => names.has(name)));
}

function readPairs(text: string, names: Names, place: "query" | "form"): Parsed {
  if (text === "") return none;
  const raw: Record<string, string> = {};
  const unknown: string[] = [];
  // Most texts have nothing to decode.
  const decoded = /[%+]/.test(text) ? percentDecode : asItIs;
  // Searched ahead, not once per pair: without any equals sign, each search would read the whole text.
  let equals = text.indexOf("=");
  for (let start = 0, end = 0; start < text.length; start = end + 1) {
    end = endOfPair(text, start);
    if (end === start) continue;
    if (equals !== -1 && equals < start) equals = text.indexOf("=", start);
    const hasValue = equals !== -1 && equals < end;
    const name = decoded(text.slice(start, hasValue ? equals : end));
    if (name === undefined) {
      return refused({
        code: place === "query" ? "invalid_parameter" : "malformed_body",
        detail: `The name of a parameter in the ${place} is not valid percent-encoded UTF-8.`,
        parameter: place,
      });
    }
    const value = hasValue ? decoded(text.slice(equals + 1, end)) : "";
    if (value === undefined) {
      return refused({
        code: "invalid_parameter",
        detail: `${parameterLabel(name)} is not valid percent-encoded UTF-8.`,
        parameter: shownName(name),
      });
    }
    if (!names.has(name)) unknown.push(name);
    else if (Object.hasOwn(raw, name)) return duplicate(name, `in the ${place}`);
    else raw[name] = value;
  }
  return { kind: "parameters", raw, unknown };
}

function endOfPair(text: string, start: number): number {
  const ampersand = text.indexOf("&", start);
  return ampersand === -1 ? text.length : ampersand;
}

function asItIs(text: string): string | undefined {
  return text;
}

function percentDecode(text: string): string | undefined {
  const spaced = text.includes("+") ? text.replaceAll("+", " ") : text;
  return spaced.includes("%") ? percentDecoded(spaced) : spaced;
}

/** The beginning of a sentence about a parameter. */
export function parameterLabel(name: string): string {
  return shownName(name) || "A parameter without a name";
}

/** `name` must be one of the operation's parameters. */
function duplicate(name: string, where: string): Refusal {
  return refused({
    code: "duplicate_parameter",
    detail: `${name} was sent more than once ${where}. Send it once.`,
    parameter: name,
  });
}

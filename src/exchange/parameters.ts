/** Query and body to named raw values (spec §4). Refuses what can't be read in one way only. */

import type { Assumptions, Choice } from "../assumptions/catalogue.ts";
import { shown } from "../base/shown.ts";
import { utf8Length } from "../base/text.ts";
import type { ApiRequest } from "../contract/messages.ts";
import type { Operation } from "../contract/operations.ts";
import { headerOf } from "./headers.ts";
import { scanMembers } from "./json-members.ts";
import { type Refused, refused } from "./outcome.ts";

/** Values as they were sent, by parameter name: text, or any JSON value. */
export type RawParameters = Readonly<Record<string, unknown>>;

export type Parsed = { readonly kind: "parameters"; readonly raw: RawParameters } | Refused;

export type ParameterParser = (request: ParsedTarget) => Parsed;

/** A request whose query was split from its path. */
export interface ParsedTarget {
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** The longest body that is read, in bytes. An adapter needs to pass on no more than one byte above. */
export const MAX_BODY_BYTES = 65_536;
/** The longest query that is read, in characters. */
const MAX_QUERY_LENGTH = 8192;

const none: Parsed = { kind: "parameters", raw: Object.freeze({}) };

/** How the parameters of a POST operation are read. */
const encodings = {
  any: () => (request) => readAny(request, anyBody),
  json: (operation) => bodyOnly(operation, jsonBody),
  form: (operation) => bodyOnly(operation, formBody),
  query: () => readQueryOnly,
} satisfies Record<Choice<"request.encoding">, (operation: Operation) => ParameterParser>;

export function createParameterParser(
  assumptions: Assumptions,
  operation: Operation,
): ParameterParser {
  const readPost = encodings[assumptions["request.encoding"]](operation);
  return (request) => {
    if (request.query.length > MAX_QUERY_LENGTH) {
      return refused({
        code: "query_too_long",
        detail: `The query has ${request.query.length} characters; at most ${MAX_QUERY_LENGTH} are read.`,
      });
    }
    if (isTooLarge(request.body)) return tooLarge;
    return operation.method === "POST" ? readPost(request) : readPairs(request.query, "query");
  };
}

/** The query of a request as text. A lone surrogate has no UTF-8: it becomes U+FFFD, as in a browser's URL. */
export function queryText(query: ApiRequest["query"]): string {
  if (query === undefined) return "";
  if (typeof query === "string") return query.startsWith("?") ? query.slice(1) : query;
  return Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${encode(name)}=${encode(String(value))}`)
    .join("&");
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

const tooLarge = refused({
  code: "body_too_large",
  detail: `The body is larger than ${MAX_BODY_BYTES} bytes, the most that is read.`,
});

function isTooLarge(body: string | Uint8Array): boolean {
  // A text has at least as many bytes as UTF-16 units, and at most three times as many.
  if (typeof body !== "string" || body.length * 3 <= MAX_BODY_BYTES) {
    return body.length > MAX_BODY_BYTES;
  }
  return body.length > MAX_BODY_BYTES || utf8Length(body) > MAX_BODY_BYTES;
}

/** Refuses a parameter of the operation in the query. Other names there are unknown ones, as anywhere. */
function bodyOnly(operation: Operation, types: BodyTypes): ParameterParser {
  const known = Object.keys(operation.parameters);
  return (request) => {
    const inQuery = readPairs(request.query, "query");
    if (inQuery.kind === "refused") return inQuery;
    if (known.some((name) => Object.hasOwn(inQuery.raw, name))) return types.others;
    return readAny(request, types);
  };
}

function readQueryOnly({ body, query }: ParsedTarget): Parsed {
  return body.length === 0 ? readPairs(query, "query") : bodyRefused;
}

function readAny(request: ParsedTarget, types: BodyTypes): Parsed {
  if (request.body.length === 0) return readPairs(request.query, "query");
  const inBody = readBody(request, types);
  if (inBody.kind === "refused" || request.query === "") return inBody;
  const inQuery = readPairs(request.query, "query");
  if (inQuery.kind === "refused") return inQuery;
  const twice = Object.keys(inQuery.raw).find((name) => Object.hasOwn(inBody.raw, name));
  if (twice !== undefined) return duplicate(twice, "in the query and in the body");
  return { kind: "parameters", raw: { ...inBody.raw, ...inQuery.raw } };
}

/** The bodies that are read. */
interface BodyTypes {
  /** The type of a body that doesn't say. */
  readonly assumed: string;
  readonly readers: ReadonlyMap<string, (body: string | Uint8Array) => Parsed>;
  /** Answers parameters that come another way. */
  readonly others: Refused;
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

function wrongEncoding(detail: string): Refused {
  return refused({ code: "unsupported_media_type", detail }, "request.encoding");
}

function readBody(request: ParsedTarget, types: BodyTypes): Parsed {
  const coding = headerOf(request.headers, "content-encoding");
  if (coding !== undefined && !/^[\s,]*(?:identity[\s,]*)*$/i.test(coding)) return encodedBody;
  const contentType = headerOf(request.headers, "content-type") ?? types.assumed;
  const usual = types.readers.get(contentType);
  if (usual !== undefined) return usual(request.body);
  const [mediaType = "", ...attributes] = contentType.toLowerCase().split(";");
  const charset = attributes.find((attribute) => attribute.trim().startsWith("charset="));
  if (charset !== undefined && !/^\s*charset="?utf-?8"?\s*$/.test(charset)) {
    return refused({ code: "unsupported_media_type", detail: "A body is read as UTF-8 only." });
  }
  const read = types.readers.get(mediaType.trim());
  return read === undefined ? types.others : read(request.body);
}

const encodedBody = refused({
  code: "unsupported_media_type",
  detail: "A body with a Content-Encoding is not read. Send it as it is, uncompressed.",
});

const invalidUtf8 = refused({
  code: "malformed_body",
  detail: "The body is not valid UTF-8.",
});

function decode(body: string | Uint8Array): string | undefined {
  // A byte order mark is dropped here as the decoder drops it from bytes.
  if (typeof body === "string") return body.startsWith("\ufeff") ? body.slice(1) : body;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch {
    return undefined;
  }
}

function readForm(body: string | Uint8Array): Parsed {
  const text = decode(body);
  return text === undefined ? invalidUtf8 : readPairs(text, "form");
}

function readJson(body: string | Uint8Array): Parsed {
  const text = decode(body);
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
  // JSON.parse keeps the last of two members with one name and says nothing.
  const members = scanMembers(text);
  if (members.count !== Object.keys(value).length) {
    return duplicate(members.firstRepeated(), "in the JSON body");
  }
  if (Object.hasOwn(value, "__proto__")) return reservedName;
  // A JSON object is a record of JSON values.
  return { kind: "parameters", raw: value as RawParameters };
}

const reservedName = refused({
  code: "unknown_parameter",
  detail: "No parameter can be called __proto__.",
  parameter: "__proto__",
});

function readPairs(text: string, place: "query" | "form"): Parsed {
  if (text === "") return none;
  const raw: Record<string, string> = {};
  // Most texts have nothing to decode.
  const decoded = /[%+]/.test(text) ? percentDecode : asItIs;
  // Looked for once, not once a pair: names without it would make each look-up go to the end.
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
        detail: `${subjectOf(name)} is not valid percent-encoded UTF-8.`,
        parameter: shown(name),
      });
    }
    if (name === "__proto__") return reservedName;
    if (Object.hasOwn(raw, name)) return duplicate(name, `in the ${place}`);
    raw[name] = value;
  }
  return { kind: "parameters", raw };
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
  if (!spaced.includes("%")) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    return undefined;
  }
}

/** What a sentence about a parameter begins with. */
export function subjectOf(name: string): string {
  return shown(name) === name ? name : "A parameter";
}

function duplicate(name: string, where: string): Refused {
  return refused({
    code: "duplicate_parameter",
    detail: `${subjectOf(name)} was sent more than once ${where}. Send it once.`,
    parameter: shown(name),
  });
}

/** Reads query and body into raw values by name (spec §4). Refuses ambiguous input. */

import { isPlainObject } from "../base/input.ts";
import { percentDecoded, shownName, utf8Length, utf8Text } from "../base/text.ts";
import type { Choice } from "../spec/assumptions/catalogue.ts";
import type { RequestParts } from "../spec/messages.ts";
import type { Operation } from "../spec/operations.ts";
import { type Refusal, refused } from "./operations/outcome.ts";
import { headerOf } from "./plain-request.ts";

/** Parameters as they were sent, by name: text, or any JSON value. A JSON body's unknown ones are among them. */
export type RawParameters = Readonly<Record<string, unknown>>;

export interface SentParameters {
  readonly kind: "parameters";
  readonly raw: RawParameters;
  /** The names of parameters that the operation doesn't have. */
  readonly unknown: readonly string[];
  /** A sentence about a body that was probably meant to be of another type; empty for others. */
  readonly hint: string;
}

export type Parsed = SentParameters | Refusal;

/** The parts of a request that may carry parameters. */
export type ParameterSource = Pick<RequestParts, "query" | "headers" | "body">;

/** The maximum size of a body. An adapter needn't pass on more than one byte above it. */
export const MAX_BODY_BYTES = 65_536;
/** In characters. */
const MAX_QUERY_LENGTH = 8192;

const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";

type Encoding = Choice<"request.encoding">;

/** The types of body that the service reads. The first one is assumed for a body without Content-Type. */
const bodyTypes: Readonly<Record<Encoding, readonly string[]>> = {
  any: [JSON_TYPE, FORM_TYPE],
  json: [JSON_TYPE],
  form: [FORM_TYPE],
  query: [],
};

const accepted: Readonly<Record<Encoding, string>> = {
  any: `Send parameters as ${JSON_TYPE}, as ${FORM_TYPE}, or in the query.`,
  json: `Send parameters in the body, as ${JSON_TYPE}, and none in the query.`,
  form: `Send parameters in the body, as ${FORM_TYPE}, and none in the query.`,
  query: "Send parameters in the query, and no body.",
};

/** @param encoding How a POST must carry its parameters. A GET has them in the query. */
export function parseParameters(
  request: ParameterSource,
  operation: Operation,
  encoding: Encoding,
): Parsed {
  const { query, body } = request;
  if (query.length > MAX_QUERY_LENGTH) {
    const detail = `The query has ${query.length} characters; the maximum is ${MAX_QUERY_LENGTH}.`;
    return refused("query_too_long", detail);
  }
  if ((typeof body === "string" ? utf8Length(body) : body.length) > MAX_BODY_BYTES) {
    const detail = `The body is larger than ${MAX_BODY_BYTES} bytes, the maximum.`;
    return refused("body_too_large", detail);
  }
  const inQuery = readPairs(query, operation, "query");
  if (operation.method === "GET" || inQuery.kind === "refused") return inQuery;
  const names = Object.keys(inQuery.raw);
  const takesQuery = encoding === "any" || encoding === "query";
  if (names.length > 0 && !takesQuery) return wrongType(encoding);
  if (body.length === 0) return inQuery;
  const inBody = readBody(request, operation, encoding);
  if (inBody.kind === "refused" || query === "") return inBody;
  const twice = names.find((name) => Object.hasOwn(inBody.raw, name));
  if (twice !== undefined) return duplicate(twice, "in the query and in the body");
  const unknown = [...inBody.unknown, ...inQuery.unknown];
  return { ...inBody, raw: { ...inBody.raw, ...inQuery.raw }, unknown };
}

const wrongType = (encoding: Encoding): Refusal =>
  refused("unsupported_media_type", accepted[encoding]);

function readBody(request: ParameterSource, operation: Operation, encoding: Encoding): Parsed {
  const types = bodyTypes[encoding];
  const coding = headerOf(request.headers, "content-encoding")?.trim() ?? "";
  if (coding !== "" && coding.toLowerCase() !== "identity" && types.length > 0) {
    const detail =
      "The body's Content-Encoding can't be read. Send it uncompressed or, through HTTP, fetch or MSW, as valid gzip.";
    return refused("unsupported_media_type", detail);
  }
  const contentType = headerOf(request.headers, "content-type") ?? types[0] ?? "";
  const [type = ""] = contentType.toLowerCase().split(/\s*;/, 1);
  if (!types.includes(type)) return wrongType(encoding);
  if (/;\s*charset=(?!"?utf-?8"?\s*(?:;|$))/i.test(contentType)) {
    return refused("unsupported_media_type", "The body must be in UTF-8.");
  }
  const text = textOfBody(request.body);
  if (text === undefined) return refused("malformed_body", "The body is not valid UTF-8.");
  if (type === JSON_TYPE) return readJson(text, operation);
  const parsed = readPairs(text, operation, "form");
  if (parsed.kind === "refused" || !/^\s*[{[]/.test(text)) return parsed;
  // `curl -d` calls every body a form.
  const instead = types.includes(JSON_TYPE)
    ? `Content-Type: ${JSON_TYPE} with it`
    : "it as name=value&name=value";
  const hint = ` The body looks like JSON but was read as a form, by its Content-Type. Send ${instead}.`;
  return { ...parsed, hint };
}

/** Without a byte order mark. Undefined if the bytes aren't valid UTF-8. */
function textOfBody(body: string | Uint8Array): string | undefined {
  const text = utf8Text(body);
  return text?.startsWith("\ufeff") ? text.slice(1) : text;
}

function readJson(text: string, { parameters }: Operation): Parsed {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refused("malformed_body", "The body is not valid JSON.");
  }
  if (!isPlainObject(value)) {
    const detail = "The JSON body must be an object whose members are the parameters.";
    return refused("malformed_body", detail);
  }
  const unknown = Object.keys(value).filter((name) => !Object.hasOwn(parameters, name));
  return { kind: "parameters", raw: value, unknown, hint: "" };
}

function readPairs(text: string, { parameters }: Operation, place: "query" | "form"): Parsed {
  const raw: Record<string, string> = {};
  const unknown: string[] = [];
  for (const pair of text.split("&")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const name = decode(equals === -1 ? pair : pair.slice(0, equals));
    if (name === undefined) {
      const detail = `The name of a parameter in the ${place} is not valid percent-encoded UTF-8.`;
      return refused(place === "query" ? "invalid_parameter" : "malformed_body", detail, place);
    }
    const value = equals === -1 ? "" : decode(pair.slice(equals + 1));
    if (value === undefined) {
      const detail = `${parameterLabel(name)} is not valid percent-encoded UTF-8.`;
      return refused("invalid_parameter", detail, shownName(name));
    }
    if (!Object.hasOwn(parameters, name)) unknown.push(name);
    else if (Object.hasOwn(raw, name)) return duplicate(name, `in the ${place}`);
    else raw[name] = value;
  }
  return { kind: "parameters", raw, unknown, hint: "" };
}

const decode = (text: string): string | undefined => percentDecoded(text.replaceAll("+", " "));

/** The beginning of a sentence about a parameter. */
export function parameterLabel(name: string): string {
  return shownName(name) || "A parameter without a name";
}

/** `name` must be one of the operation's parameters. */
function duplicate(name: string, where: string): Refusal {
  const detail = `${name} was sent more than once ${where}. Send it once.`;
  return refused("duplicate_parameter", detail, name);
}

/** Reads the parts of a control request strictly. Every refusal names the field. */

import * as v from "valibot";
import { InputError, isPlainObject, parseInput } from "../base/input.ts";
import { parseJson } from "../base/parse-json.ts";
import { type Schema, strictObject } from "../base/schemas.ts";
import { percentDecoded, shownName, utf8Text } from "../base/text.ts";
import { headerOf, type PlainRequest } from "../exchange/plain-request.ts";
import type { ApiResponse } from "../spec/messages.ts";
import { problemResponse } from "./responses.ts";
import type { ControlCall, ControlRoute, QuerySchemas } from "./route.ts";

export const MAX_CONTROL_BODY_BYTES = 1024 * 1024;

/** @throws InputError for an unknown, repeated or invalid parameter. */
export function readQuery(query: string, known: QuerySchemas): ControlCall["query"] {
  const given = [...new URLSearchParams(query)];
  const names = given.map(([name]) => name);
  const repeated = names.find((name, index) => names.indexOf(name) < index);
  if (repeated !== undefined) {
    throw new InputError(shownName(repeated), "was sent more than once. Send it once");
  }
  const schemas = Object.entries(known).map(([name, schema]) => [name, v.optional(schema)]);
  return parseInput(strictObject(Object.fromEntries(schemas)), Object.fromEntries(given));
}

/** A whole number as text. */
export function wholeText(least: number, most = Number.MAX_SAFE_INTEGER): Schema<number> {
  const expected = `must be a whole number from ${least} to ${most}`;
  return v.pipe(
    v.string(),
    v.regex(/^\d{1,15}$/, expected),
    v.transform(Number),
    v.minValue(least, expected),
    v.maxValue(most, expected),
  );
}

/** `true` or `false` as text. */
export const flagText: Schema<boolean> = v.pipe(
  v.picklist(["true", "false"]),
  v.transform((text) => text === "true"),
);

/** An object whose members the simulator checks. */
export function checkedLater<Body extends object>(): Schema<Body> {
  return v.custom<Body>(isPlainObject, "must be an object");
}

/** A duration in a body. The clock checks its form. */
export const duration: Schema<string | number> = v.union(
  [v.string(), v.number()],
  'must be whole milliseconds (1500) or a whole number with a unit ("90s", "15m", "36h", "30d")',
);

/** The refusal of a body because of its type or size. */
export function refusalOfBody(request: PlainRequest, route: ControlRoute): ApiResponse | undefined {
  const { body, headers } = request;
  const mediaType = (headerOf(headers, "content-type") ?? "").toLowerCase();
  // Only application/json, because a web page can send text or forms to any server without permission.
  if (!/^application\/json\s*(;\s*charset="?utf-?8"?\s*)?$/.test(mediaType)) {
    const detail = "Send the body with Content-Type: application/json.";
    return problemResponse({ kind: "unsupported-media-type", detail, field: "body" });
  }
  const maxBytes = route.body?.maxBytes ?? MAX_CONTROL_BODY_BYTES;
  if (body.length <= maxBytes) return undefined;
  const detail = `The body is larger than ${maxBytes} bytes, the maximum.`;
  return problemResponse({ kind: "too-large", detail, field: "body" });
}

/** The JSON body of a request. @throws InputError if it isn't what the route takes. */
export function readBody({ body }: PlainRequest, route: ControlRoute): unknown {
  if (route.body === undefined) {
    if (body.length === 0) return undefined;
    throw new InputError("body", "must not be sent here: this route ignores it");
  }
  if (body.length === 0) {
    if (route.body.optional === true) return parseInput(route.body.schema, {});
    throw new InputError("body", "is required: a JSON object");
  }
  const text = utf8Text(body);
  if (text === undefined) throw new InputError("body", "must be JSON in UTF-8, uncompressed");
  const value = parseJson(text, (mistake) => new InputError("body", mistake));
  if (!isPlainObject(value)) throw new InputError("body", "must be a JSON object");
  return parseInput(route.body.schema, value, "body");
}

/** A part of the path. @throws InputError for bad percent-encoding. */
export function decodedPart(part: string, name: string): string {
  const decoded = percentDecoded(part);
  if (decoded !== undefined) return decoded;
  throw new InputError(name, "is not valid percent-encoded UTF-8");
}

/** The address that a world has for a client; undefined if the Host header may be unsafe in a shell. */
export function baseUrlOf(host: string | undefined, prefix: string): string | undefined {
  const isPlain = /^(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::\d+)?$/.test(host ?? "");
  const baseUrl = `http://${host}${prefix}`;
  return isPlain && URL.canParse(baseUrl) ? baseUrl : undefined;
}

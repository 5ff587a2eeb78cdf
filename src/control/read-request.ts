/** Reads the parts of a control request strictly. Every refusal names the field. */

import * as v from "valibot";
import { InputError, isPlainObject, parseInput } from "../base/input.ts";
import { parseJson } from "../base/parse-json.ts";
import { type Schema, strictObject } from "../base/schemas.ts";
import { utf8Text } from "../base/text.ts";
import { headerOf, type PlainRequest } from "../exchange/plain-request.ts";
import type { ControlCall, ControlRoute } from "./route.ts";

export const MAX_SNAPSHOT_BYTES = 64 * 1024 * 1024;

/** Of a repeated parameter the last value counts. @throws InputError for an unknown or invalid one. */
export function readQuery(query: string, known: ControlRoute["query"] = {}): ControlCall["query"] {
  const schemas = Object.entries(known).map(([name, schema]) => [name, v.optional(schema)]);
  return parseInput(
    strictObject(Object.fromEntries(schemas)),
    Object.fromEntries(new URLSearchParams(query)),
  );
}

/** A whole number as text. */
export const wholeNumber: Schema<number> = v.pipe(
  v.string(),
  v.regex(/^\d{1,15}$/, "must be a whole number"),
  v.transform(Number),
);

/** `true` or `false` as text. */
export const flag: Schema<boolean> = v.pipe(
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

/** The JSON body of a request. @throws InputError if it isn't what the route takes. */
export function readBody({ body, headers }: PlainRequest, route: ControlRoute): unknown {
  const { body: schema, maxBytes = 1024 * 1024 } = route;
  const fail = (expected: string, reason?: InputError["reason"]): InputError =>
    new InputError("body", expected, reason);
  if (body.length === 0) return schema && parseInput(schema, undefined, "body");
  const mediaType = (headerOf(headers, "content-type") ?? "").toLowerCase();
  // Only application/json, because a web page can send text or forms to any server without permission.
  if (!/^application\/json\s*(;\s*charset="?utf-?8"?\s*)?$/.test(mediaType)) {
    throw fail("must be sent with Content-Type: application/json", "unsupported-media-type");
  }
  if (body.length > maxBytes) throw fail(`must have at most ${maxBytes} bytes`, "too-large");
  if (schema === undefined) throw fail("must not be sent here: this route ignores it");
  const text = utf8Text(body);
  if (text === undefined) throw fail("must be JSON in UTF-8, uncompressed");
  const value = parseJson(text, fail);
  if (!isPlainObject(value)) throw fail("must be a JSON object");
  return parseInput(schema, value, "body");
}

/** The address that a world has for a client; undefined if the Host header may be unsafe in a shell. */
export function baseUrlOf(host: string | undefined, prefix: string): string | undefined {
  const isPlain = /^(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::\d+)?$/.test(host ?? "");
  const baseUrl = `http://${host}${prefix}`;
  return isPlain && URL.canParse(baseUrl) ? baseUrl : undefined;
}

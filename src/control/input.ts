/** Reads query and JSON body of a control request strictly. Every refusal names the field. */

import * as v from "valibot";
import { InputError, isPlainObject } from "../base/input.ts";
import { jsonIn } from "../base/parse-json.ts";
import type { Schema } from "../base/schema-builders.ts";
import { percentDecoded, shownName } from "../base/text.ts";
import { textOfBody } from "../exchange/parameters.ts";
import type { PlainRequest } from "../exchange/plain-request.ts";
import { headerOf } from "../exchange/plain-request.ts";
import type { ApiResponse } from "../spec/messages.ts";
import { problemResponse } from "./problem.ts";

/** Query parameters by name. */
export type Query = ReadonlyMap<string, string>;

/** The query as names and values. @throws InputError for an unknown or repeated name, and for bad encoding. */
export function readQuery(text: string, known: readonly string[]): Query {
  const query = new Map<string, string>();
  for (const pair of text.split("&")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const name = decode(equals === -1 ? pair : pair.slice(0, equals), "query");
    if (!known.includes(name)) {
      const names = known.length === 0 ? "none" : known.join(", ");
      throw new InputError(
        shownName(name),
        `is not a query parameter here. Known parameters: ${names}`,
      );
    }
    if (query.has(name)) throw new InputError(name, "was sent more than once. Send it once");
    query.set(name, decode(equals === -1 ? "" : pair.slice(equals + 1).replaceAll("+", " "), name));
  }
  return query;
}

/** A whole number from the query. @throws InputError that names the range. */
export function integerOf(
  query: Query,
  name: string,
  range: { readonly minimum: number; readonly maximum?: number },
): number | undefined {
  const { minimum, maximum = Number.MAX_SAFE_INTEGER } = range;
  const sent = query.get(name);
  if (sent === undefined) return undefined;
  const value = /^\d{1,15}$/.test(sent) ? Number(sent) : Number.NaN;
  if (value >= minimum && value <= maximum) return value;
  throw new InputError(name, `must be a whole number from ${minimum} to ${maximum}`);
}

/** A choice from the query. @throws InputError that lists the choices. */
export function choiceOf<Choice extends string>(
  query: Query,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  const sent = query.get(name);
  if (sent === undefined) return undefined;
  const found = choices.find((choice) => choice === sent);
  if (found !== undefined) return found;
  throw new InputError(name, `must be one of: ${choices.join(", ")}`);
}

/** A duration in a body. The clock checks its form. */
export const durationInBody: Schema<string | number> = v.union(
  [v.string(), v.number()],
  'must be whole milliseconds (1500) or a whole number with a unit ("90s", "15m", "36h", "30d")',
);

export type Body =
  | { readonly kind: "json"; readonly value: unknown }
  | { readonly kind: "none" }
  | { readonly kind: "refused"; readonly response: ApiResponse };

/** A route's rules for its body. */
export interface BodyBounds {
  /** @default {@link MAX_CONTROL_BODY_BYTES} */
  readonly maxBodyBytes?: number | undefined;
  /** Tells the user what to do with a larger body. */
  readonly tooLarge?: string | undefined;
}

export const MAX_CONTROL_BODY_BYTES = 1024 * 1024;

/** The JSON body of a request. @throws InputError if it isn't a JSON object or repeats a member. */
export function readBody({ body, headers }: PlainRequest, bounds: BodyBounds): Body {
  const { maxBodyBytes = MAX_CONTROL_BODY_BYTES, tooLarge = "" } = bounds;
  if (body.length === 0) return { kind: "none" };
  if (!/^(identity)?$/i.test(headerOf(headers, "content-encoding") ?? "")) {
    return refusedBody(
      "unsupported-media-type",
      "Send the body without a Content-Encoding: compressed bodies aren't supported.",
    );
  }
  const mediaType = (headerOf(headers, "content-type") ?? "").toLowerCase();
  // Only application/json, because a web page can send text or forms to any server without permission.
  if (!/^application\/json\s*(;\s*charset="?utf-?8"?\s*)?$/.test(mediaType)) {
    return refusedBody(
      "unsupported-media-type",
      "Send the body with Content-Type: application/json.",
    );
  }
  if (body.length > maxBodyBytes) {
    const detail = `The body is larger than ${maxBodyBytes} bytes, the maximum. ${tooLarge}`;
    return refusedBody("too-large", detail.trimEnd());
  }
  const text = typeof body === "string" ? body : textOfBody(body);
  if (text === undefined) throw new InputError("body", "must be valid UTF-8");
  return { kind: "json", value: jsonInBody(text) };
}

function refusedBody(kind: "unsupported-media-type" | "too-large", detail: string): Body {
  return { kind: "refused", response: problemResponse({ kind, detail, field: "body" }) };
}

function jsonInBody(text: string): object {
  const value = jsonIn(text);
  if (value === undefined) throw new InputError("body", "must be valid JSON");
  if (!isPlainObject(value)) throw new InputError("body", "must be a JSON object");
  return value;
}

/** @throws InputError for bad percent-encoding; it names `field`. */
export function decode(text: string, field: string): string {
  const decoded = percentDecoded(text);
  if (decoded !== undefined) return decoded;
  throw new InputError(field, "is not valid percent-encoded UTF-8");
}

/** The world's address as the client used it; undefined if the Host header may be unsafe in a shell. */
export function baseUrlOf(host: string | undefined, prefix: string): string | undefined {
  if (host === undefined || !/^(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::\d+)?$/.test(host)) {
    return undefined;
  }
  const baseUrl = `http://${host}${prefix}`;
  return URL.canParse(baseUrl) ? baseUrl : undefined;
}

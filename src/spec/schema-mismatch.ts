/**
 * Says whether a success is what the contract describes: for the invariant of shape, for clients that must notice a wrong
 * answer, and for the audit of those that didn't. Knows only the keywords that the schemas of responses use.
 */

import { parseDay } from "../base/calendar.ts";
import { isPlainObject } from "../base/input.ts";
import { jsonIn } from "../base/parse-json.ts";
import type { OperationId } from "./operations.ts";
import { type JsonSchema, lenientSchemas } from "./responses.ts";

/** Says what its schema doesn't allow about a JSON body, and where; undefined if it fits. */
export function bodyMismatch(schema: JsonSchema, text: string): string | undefined {
  const value = jsonIn(text);
  if (value === undefined) return `the body isn't JSON: ${text.slice(0, 100)}`;
  return mismatch(schema, value, "body");
}

/**
 * Says what the spec doesn't allow about the body of a success; undefined if it allows all of it. Statistics are those of the
 * publisher queried (spec §2). `asked`: the parameters of the request.
 */
export function successMismatch(
  operation: OperationId,
  text: string,
  asked: { get(name: string): string | null | undefined },
): string | undefined {
  const found = bodyMismatch(lenientSchemas[operation], text);
  if (found !== undefined || operation !== "stats") return found;
  const { publisher_id } = JSON.parse(text);
  const queried = asked.get("publisher_id");
  return publisher_id === queried
    ? undefined
    : `body.publisher_id is ${shown(publisher_id)}, and the publisher queried is ${shown(queried)}`;
}

function mismatch(schema: JsonSchema, value: unknown, at: string): string | undefined {
  const isNot = (what: string): string => `${at} is ${shown(value)}, not ${what}`;
  const { type = "", minLength = 0, minimum = 0, format, enum: listed } = schema;
  if (!isA(type, value)) return isNot(type);
  if ("const" in schema && value !== schema.const) return isNot(shown(schema.const));
  if (listed?.includes(value) === false) return isNot(`one of ${shown(listed)}`);
  if (typeof value === "number" && value < minimum) return isNot(`at least ${minimum}`);
  if (typeof value === "string" && value.length < minLength) return `${at} is empty`;
  if (format === "date" && parseDay(String(value)) === undefined) return isNot("a date");
  return typeof value === "object" && value !== null ? misfitOfParts(schema, value, at) : undefined;
}

/** The same for the members of an object or the items of a list. */
function misfitOfParts(schema: JsonSchema, value: object, at: string): string | undefined {
  const { properties = {}, required = [], additionalProperties } = schema;
  const { items, minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema;
  const missing = required.find((name) => !Object.hasOwn(value, name));
  if (missing !== undefined) return `${at}.${missing} is missing`;
  const parts = Object.entries(value);
  const isCounted = parts.length >= minItems && parts.length <= maxItems;
  if (!isCounted) return `${at} has ${parts.length} items, not ${minItems} to ${maxItems}`;
  for (const [name, part] of parts) {
    const own = items ?? (Object.hasOwn(properties, name) ? properties[name] : undefined);
    if (own === undefined && additionalProperties === false)
      return `${at}.${name} is not documented`;
    const found = own && mismatch(own, part, `${at}.${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isA(type: string, value: unknown): boolean {
  if (type === "object") return isPlainObject(value);
  if (type === "array") return Array.isArray(value);
  return type === "integer" ? Number.isInteger(value) : typeof value === type;
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? "nothing").slice(0, 80);
}

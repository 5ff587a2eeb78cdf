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
 * publisher queried (spec §2).
 *
 * @param asked The parameters of the request.
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
  if (typeof value === "string") {
    if (value.length < minLength) return `${at} is empty`;
    return format === "date" && parseDay(value) === undefined ? isNot("a date") : undefined;
  }
  if (Array.isArray(value)) return misfitOfItems(schema, value, at);
  return isPlainObject(value) ? misfitOfMembers(schema, value, at) : undefined;
}

function misfitOfItems(
  { items = {}, minItems = 0, maxItems = Number.POSITIVE_INFINITY }: JsonSchema,
  list: readonly unknown[],
  at: string,
): string | undefined {
  if (list.length < minItems) return `${at} has ${list.length} items, not ${minItems}`;
  if (list.length > maxItems) return `${at} has ${list.length} items, not ${maxItems}`;
  for (const [index, item] of list.entries()) {
    const found = mismatch(items, item, `${at}.${index}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function misfitOfMembers(
  { properties = {}, required = [], additionalProperties }: JsonSchema,
  members: Readonly<Record<string, unknown>>,
  at: string,
): string | undefined {
  const missing = required.find((name) => !Object.hasOwn(members, name));
  if (missing !== undefined) return `${at}.${missing} is missing`;
  for (const [name, member] of Object.entries(members)) {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (schema === undefined && additionalProperties === false)
      return `${at}.${name} is not documented`;
    const found = schema && mismatch(schema, member, `${at}.${name}`);
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

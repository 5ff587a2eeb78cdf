/** Compares a JSON value with a schema of the contract. Supports only the keywords that are used there. */

import { parseDay } from "../base/calendar.ts";
import { isPlainObject } from "../base/input.ts";
import type { OperationId } from "./operations.ts";
import { type JsonSchema, lenientSchemas } from "./responses.ts";

/** Says what its schema doesn't allow about a JSON body, and where; undefined if it fits. */
export function bodyMismatch(schema: JsonSchema, text: string): string | undefined {
  try {
    return schemaMismatch(schema, JSON.parse(text));
  } catch {
    return `the body isn't JSON: ${text.slice(0, 100)}`;
  }
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
  const mismatch = bodyMismatch(lenientSchemas[operation], text);
  if (mismatch !== undefined || operation !== "stats") return mismatch;
  const { publisher_id } = JSON.parse(text);
  const queried = asked.get("publisher_id");
  return publisher_id === queried
    ? undefined
    : `body.publisher_id is ${shown(publisher_id)}, and the publisher queried is ${shown(queried)}`;
}

function schemaMismatch(schema: JsonSchema, value: unknown, at = "body"): string | undefined {
  for (const keyword in schema) {
    const look = keywords[keyword];
    if (look === undefined) continue;
    const misfit = look(schema[keyword], value, { schema, at });
    if (misfit !== undefined) return misfit;
  }
  return undefined;
}

const patterns = new Map<string, RegExp>();

/** Compiled once, because a few patterns check many values. */
function patternOf(text: string): RegExp {
  const known = patterns.get(text) ?? new RegExp(text, "u");
  patterns.set(text, known);
  return known;
}

interface SchemaLocation {
  readonly schema: JsonSchema;
  readonly at: string;
}

// The casts are safe: our own schemas give each keyword a value of the right type.
type KeywordCheck = (demand: unknown, value: unknown, place: SchemaLocation) => string | undefined;

const keywords: Readonly<Record<string, KeywordCheck>> = {
  type(demand, value, { at }) {
    const allowed: readonly unknown[] = Array.isArray(demand) ? demand : [demand];
    return allowed.some((type) => isA(String(type), value))
      ? undefined
      : `${at} is ${shown(value)}, not ${allowed.join(" or ")}`;
  },
  const: (demand, value, { at }) =>
    value === demand ? undefined : `${at} is ${shown(value)}, not ${shown(demand)}`,
  enum: (demand, value, { at }) =>
    (demand as readonly unknown[]).includes(value)
      ? undefined
      : `${at} is ${shown(value)}, not one of ${shown(demand)}`,
  pattern: (demand, value, { at }) =>
    typeof value !== "string" || patternOf(String(demand)).test(value)
      ? undefined
      : `${at} is ${shown(value)}, which doesn't match ${demand}`,
  format: (demand, value, { at }) =>
    demand !== "date" || typeof value !== "string" || parseDay(value) !== undefined
      ? undefined
      : `${at} is ${shown(value)}, which is no date`,
  minLength: (demand, value, { at }) =>
    typeof value !== "string" || value.length >= Number(demand) ? undefined : `${at} is empty`,
  minimum: (demand, value, { at }) =>
    typeof value !== "number" || value >= Number(demand)
      ? undefined
      : `${at} is ${value}, less than ${demand}`,
  minItems: (demand, value, { at }) =>
    !Array.isArray(value) || value.length >= Number(demand)
      ? undefined
      : `${at} has ${value.length} items, not ${demand}`,
  maxItems: (demand, value, { at }) =>
    !Array.isArray(value) || value.length <= Number(demand)
      ? undefined
      : `${at} has ${value.length} items, not ${demand}`,
  required(demand, value, { at }) {
    if (!isPlainObject(value)) return undefined;
    const missing = (demand as readonly string[]).find((name) => !Object.hasOwn(value, name));
    return missing === undefined ? undefined : `${at}.${missing} is missing`;
  },
  properties(demand, value, { at }) {
    if (!isPlainObject(value)) return undefined;
    const schemas = Object.entries(demand as Readonly<Record<string, JsonSchema>>);
    return first(schemas, ([name, schema]) =>
      Object.hasOwn(value, name) ? schemaMismatch(schema, value[name], `${at}.${name}`) : undefined,
    );
  },
  additionalProperties(demand, value, { schema, at }) {
    if (demand !== false || !isPlainObject(value)) return undefined;
    const properties = schema.properties as Readonly<Record<string, JsonSchema>>;
    const extra = Object.keys(value).find((name) => !Object.hasOwn(properties, name));
    return extra === undefined ? undefined : `${at}.${extra} is not documented`;
  },
  prefixItems(demand, value, { at }) {
    if (!Array.isArray(value)) return undefined;
    const schemas = (demand as readonly JsonSchema[]).slice(0, value.length);
    return first(schemas.entries(), ([index, schema]) =>
      schemaMismatch(schema, value[index], `${at}.${index}`),
    );
  },
  items(demand, value, { at }) {
    if (!Array.isArray(value)) return undefined;
    return first(value.entries(), ([index, item]) =>
      schemaMismatch(demand as JsonSchema, item, `${at}.${index}`),
    );
  },
};

function first<Item>(
  items: Iterable<Item>,
  look: (item: Item) => string | undefined,
): string | undefined {
  for (const item of items) {
    const misfit = look(item);
    if (misfit !== undefined) return misfit;
  }
  return undefined;
}

function isA(type: string, value: unknown): boolean {
  switch (type) {
    case "object":
      return isPlainObject(value);
    case "array":
      return Array.isArray(value);
    case "integer":
      return Number.isInteger(value);
    case "null":
      return value === null;
    default:
      return typeof value === type;
  }
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? "nothing").slice(0, 80);
}

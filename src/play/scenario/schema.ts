/** The JSON schema of scenarios, as the walk reads it: the few keywords that the generator writes. */

import { assert } from "../../base/assert.ts";
import { formatList } from "../../base/did-you-mean.ts";
import { isPlainObject } from "../../base/input.ts";
import { scenarioJsonSchema } from "./json-schema.ts";

export interface SchemaNode {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly SchemaNode[];
  /** Which members it needs: those of exactly one of these. */
  readonly oneOf?: readonly { readonly required: readonly string[] }[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: SchemaNode | false;
  readonly propertyNames?: SchemaNode;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly items?: SchemaNode;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly multipleOf?: number;
}

export const scenarioNode = scenarioJsonSchema as SchemaNode;
const definitions = scenarioJsonSchema.definitions as Readonly<Record<string, SchemaNode>>;

/** The function with its results kept: a large scenario comes to the same nodes over and over. */
export function kept<Result>(of: (node: SchemaNode) => Result): (node: SchemaNode) => Result {
  const results = new WeakMap<SchemaNode, { readonly result: Result }>();
  return (node) => {
    const found = results.get(node) ?? { result: of(node) };
    results.set(node, found);
    return found.result;
  };
}

/** The name of the type that it refers to. */
export const typeNameOf: (node: SchemaNode) => string | undefined = kept(
  ({ $ref }) => $ref && decodeURIComponent($ref.replace("#/definitions/", "")),
);

export function definitionOf(name: string): SchemaNode {
  const definition = definitions[name];
  assert(definition !== undefined, `The schema of scenarios lacks ${name}.`);
  return definition;
}

/** The node, or what it refers to. */
export function resolved(node: SchemaNode): SchemaNode {
  const name = typeNameOf(node);
  return name === undefined ? node : resolved(definitionOf(name));
}

/** The alternatives of a union, and those of unions within it. */
export const alternativesIn: (node: SchemaNode) => readonly SchemaNode[] = kept((node) => {
  const { anyOf, oneOf, ...rest } = resolved(node);
  if (oneOf !== undefined) return oneOf.map(({ required }) => ({ ...rest, required }));
  return anyOf === undefined ? [node] : anyOf.flatMap(alternativesIn);
});

/** Whether it takes members of any name. */
export function isOpen({ additionalProperties }: SchemaNode): boolean {
  return isPlainObject(additionalProperties) && !("not" in additionalProperties);
}

/** What kind of value it is; undefined for what JSON can't hold. */
export function kindOfValue(value: unknown): string | undefined {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "object") return isPlainObject(value) ? "object" : undefined;
  if (typeof value === "number") return Number.isFinite(value) ? "number" : undefined;
  return typeof value === "string" || typeof value === "boolean" ? typeof value : undefined;
}

/** The kinds of value that it accepts; undefined if it accepts everything. */
export const kindsOf: (node: SchemaNode) => readonly string[] | undefined = kept((node) => {
  const { type, anyOf } = resolved(node);
  if (anyOf !== undefined) return anyOf.flatMap((one) => kindsOf(one) ?? []);
  const types = type === undefined ? [] : [type].flat();
  return types.length === 0 ? undefined : types.map((one) => one.replace("integer", "number"));
});

const patternOf = kept(({ pattern = "" }) => new RegExp(pattern));

const nouns: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
};

/** What a value must be, by the comment on its type. The comment on a type of objects says what they are for. */
export function expectedOf(node: SchemaNode, type: SchemaNode | undefined): string {
  const { minimum, maximum = "any" } = node;
  if (type?.description !== undefined && !isOnlyObjects(type)) return saysOf(type);
  const kinds = [...new Set(kindsOf(node))].map((kind) => nouns[kind] ?? kind);
  const bounds = minimum === undefined ? "" : ` from ${minimum} to ${maximum}`;
  return `must be ${formatList(kinds, "or")}${bounds}`;
}

export function isOnlyObjects(node: SchemaNode): boolean {
  return kindsOf(node)?.every((kind) => kind === "object") ?? false;
}

export function saysOf({ description = "something else" }: SchemaNode): string {
  return `must be ${description.charAt(0).toLowerCase()}${description.slice(1)}`.replace(/\.$/, "");
}

/** Whether a text, number, true, false or null of the right kind is within the bounds. */
export function isWithinBounds(value: unknown, node: SchemaNode): boolean {
  if (node.const !== undefined && value !== node.const) return false;
  if (typeof value === "string") {
    const { minLength = 0, maxLength = value.length } = node;
    const isOfLength = value.length >= minLength && value.length <= maxLength;
    return isOfLength && value.isWellFormed() && patternOf(node).test(value);
  }
  if (typeof value !== "number") return true;
  const mayBeBroken = node.type !== "integer" && node.multipleOf !== 1;
  const { minimum = value, maximum = value } = node;
  return value >= minimum && value <= maximum && (mayBeBroken || Number.isSafeInteger(value));
}

/** The JSON schema of scenarios, as the walk reads it: the few keywords that the generator writes. */

import { assert } from "../../base/assert.ts";
import { formatList } from "../../base/did-you-mean.ts";
import { isPlainObject } from "../../base/input.ts";
import { scenarioJsonSchema } from "./json-schema.ts";

type Bound = `${"min" | "max"}${"imum" | "Length" | "Items"}` | "minProperties" | "multipleOf";

export interface SchemaNode extends Readonly<Partial<Record<Bound, number>>> {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly anyOf?: readonly SchemaNode[];
  /** Which members it needs: those of exactly one of these. */
  readonly oneOf?: readonly { readonly required: readonly string[] }[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: SchemaNode | false;
  readonly propertyNames?: SchemaNode;
  readonly items?: SchemaNode;
}

export const scenarioNode = scenarioJsonSchema as SchemaNode;

/** The name of the type that it refers to. */
export function typeNameOf({ $ref }: SchemaNode): string | undefined {
  return $ref && decodeURIComponent($ref.replace("#/definitions/", ""));
}

export function definitionOf(name: string): SchemaNode {
  const definitions = scenarioJsonSchema.definitions as Readonly<Record<string, SchemaNode>>;
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
export function alternativesIn(node: SchemaNode): readonly SchemaNode[] {
  return resolved(node).anyOf?.flatMap(alternativesIn) ?? [node];
}

/** Whether objects may have members of any name. */
export function isOpen(node: SchemaNode): boolean {
  const { additionalProperties: others = {} } = resolved(node);
  return others !== false && !("not" in others);
}

const anyKind = ["string", "number", "boolean", "null", "array", "object"];

/** What kind of value it is; undefined for what JSON can't hold. */
export function kindOfValue(value: unknown): string | undefined {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "object") return isPlainObject(value) ? "object" : undefined;
  if (typeof value === "number") return Number.isFinite(value) ? "number" : undefined;
  return typeof value === "string" || typeof value === "boolean" ? typeof value : undefined;
}

/** The kinds of value that it accepts. */
export function kindsOf(node: SchemaNode): readonly string[] {
  const { type = anyKind, anyOf } = resolved(node);
  return anyOf?.flatMap(kindsOf) ?? [type].flat().map((kind) => kind.replace("integer", "number"));
}

/** Whether it accepts such a value. Members and elements are checked by themselves. */
export function isSound(value: unknown, kind: string, node: SchemaNode): boolean {
  if (!kindsOf(node).includes(kind) || (node.const !== undefined && value !== node.const))
    return false;
  if (typeof value === "number") {
    const mayBeBroken = node.type !== "integer" && node.multipleOf !== 1;
    const { minimum = value, maximum = value } = node;
    return value >= minimum && value <= maximum && (mayBeBroken || Number.isSafeInteger(value));
  }
  if (typeof value === "string") {
    const { minLength = 0, maxLength = value.length, pattern = "" } = node;
    const isOfLength = value.length >= minLength && value.length <= maxLength;
    return isOfLength && value.isWellFormed() && new RegExp(pattern).test(value);
  }
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = node;
  return !Array.isArray(value) || (value.length >= minItems && value.length <= maxItems);
}

/** What a value must be, by the comment on its type. The comment on a type of objects says what they are for. */
export function expectedOf(node: SchemaNode, named: SchemaNode | undefined): string {
  const isForObjects = named !== undefined && kindsOf(named).every((kind) => kind === "object");
  if (named?.description !== undefined && !isForObjects) return saysOf(named);
  const { type = [...new Set(kindsOf(node))], minItems, maxItems } = node;
  const { minimum: least = minItems, maximum: most = maxItems } = node;
  const range = most === undefined ? `${least} or more` : `${least ?? 0} to ${most}`;
  const entries = type === "array" ? " entries" : "";
  const bounds = (least ?? most) === undefined ? "" : `, ${range}${entries}`;
  return `must be of type ${formatList([type].flat(), "or")}${bounds}`;
}

export function saysOf({ description = "something else" }: SchemaNode): string {
  return `must be ${description.charAt(0).toLowerCase()}${description.slice(1)}`.replace(/\.$/, "");
}

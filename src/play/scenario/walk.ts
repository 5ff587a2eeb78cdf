/**
 * Checks input against the JSON schema of scenarios and copies it, in one pass. What a type means beyond its shape stands in
 * meanings.ts, by the type's name.
 */

import { didYouMean, formatList, unknownMember } from "../../base/did-you-mean.ts";
import { InputError, isPlainObject, notSent } from "../../base/input.ts";
import { choose } from "./choose.ts";
import { meanings } from "./meanings.ts";
import { fail, inPlace, type Place, placeWithin } from "./place.ts";
import type { SchemaNode } from "./schema.ts";
import * as schema from "./schema.ts";

const MAX_DEPTH = 100;

/**
 * A frozen copy of the value. `type` is the named type around it, whose comment says what the value must be.
 *
 * @throws InputError that names the path to the first mistake.
 */
export function walk(value: unknown, node: SchemaNode, place: Place, type?: SchemaNode): unknown {
  if (place.path.length > MAX_DEPTH) {
    const field = `${place.path.slice(0, 12).join(".")}…`;
    throw new InputError(field, `is nested deeper than ${MAX_DEPTH} levels`);
  }
  const name = schema.typeNameOf(node);
  if (name !== undefined) return walkNamed(value, name, place);
  const kind = schema.kindOfValue(value);
  if (kind === undefined) return fail(place, `must be data that JSON can hold${notSent(value)}`);
  if (node.anyOf !== undefined || node.oneOf !== undefined)
    return walk(value, choose(value, kind, node, place, type), place, type);
  const kinds = schema.kindsOf(node);
  if (kinds === undefined) return frozenCopy(value);
  if (node.enum !== undefined && !node.enum.some((one) => one === value)) {
    const hint = typeof value === "string" ? didYouMean(value, node.enum) : "";
    fail(place, `must be one of ${formatList(node.enum, "or")}${hint && `.${hint}`}`);
  }
  const isSound = kinds.includes(kind) && schema.isWithinBounds(value, node);
  if (!isSound) fail(place, schema.expectedOf(node, type));
  if (isPlainObject(value)) return walkObject(value, node, place);
  return Array.isArray(value) ? walkList(value, node, place, type) : value;
}

function walkNamed(value: unknown, name: string, place: Place): unknown {
  const node = schema.definitionOf(name);
  const { parse, enter, isSound, leave } = meanings[name] ?? {};
  if (parse !== undefined) return frozenCopy(inPlace(place, () => parse(value)));
  const inner = enter?.(value, place) ?? place;
  const copy = walk(value, node, inner, node);
  if (isSound?.(copy as never) === false) fail(place, schema.saysOf(node));
  leave?.(copy as never, inner);
  return copy;
}

function walkObject(
  value: Readonly<Record<string, unknown>>,
  node: SchemaNode,
  place: Place,
): unknown {
  const { properties = {}, required = [], additionalProperties: others } = node;
  const known = Object.keys(properties);
  const names = Object.keys(value).filter((name) => value[name] !== undefined);
  const { minProperties = 0, maxProperties = names.length, propertyNames = {} } = node;
  for (const name of names.filter((one) => !known.includes(one))) {
    if (!schema.isOpen(node)) fail(place, unknownMember(name, known), name);
    if (!schema.isWithinBounds(name, propertyNames))
      fail(place, schema.saysOf(propertyNames), name);
  }
  if (names.length < minProperties)
    fail(place, `must have at least one of ${formatList(known, "or")}`);
  if (names.length > maxProperties) fail(place, `must have at most ${maxProperties} members`);
  for (const name of required) if (value[name] === undefined) fail(place, "is required", name);
  // In the order of the type, since later members refer to earlier ones. The copy keeps the order of the input.
  const copies = new Map<string, unknown>();
  for (const name of new Set([...known, ...names])) {
    const member = Object.hasOwn(properties, name) ? properties[name] : others;
    if (value[name] === undefined || !member) continue;
    copies.set(name, walkWithin(name, value[name], member, placeWithin(place, name)));
  }
  return Object.freeze(Object.fromEntries(names.map((name) => [name, copies.get(name)])));
}

function walkList(
  list: readonly unknown[],
  node: SchemaNode,
  place: Place,
  type: SchemaNode | undefined,
): unknown {
  const { items = {}, minItems: least = 0, maxItems: most = list.length } = node;
  if (list.length < least && least === 1) fail(place, "must not be empty");
  if (least === most && list.length !== most) fail(place, schema.expectedOf(node, type));
  if (list.length > most) fail(place, `must have at most ${most} entries`);
  const inner = placeWithin(place, "");
  const copies = Array.from(list, (one, index) => walkWithin(String(index), one, items, inner));
  return Object.freeze(copies);
}

function walkWithin(name: string, value: unknown, node: SchemaNode, place: Place): unknown {
  place.path.push(name);
  const copy = walk(value, node, place);
  place.path.pop();
  return copy;
}

function frozenCopy(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_, part: unknown) => Object.freeze(part));
}

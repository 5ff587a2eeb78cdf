/**
 * Checks input against the JSON schema of scenarios and copies it, in one pass. What a type means beyond its shape stands in
 * meanings.ts, by the type's name.
 */

import { didYouMean, formatList, unknownMember } from "../../base/did-you-mean.ts";
import { InputError, isPlainObject, notSent, renamingField } from "../../base/input.ts";
import { shownName } from "../../base/text.ts";
import { checks, parsers } from "./meanings.ts";
import type { Scope } from "./references.ts";
import type { SchemaNode } from "./schema.ts";
import * as schema from "./schema.ts";

const MAX_DEPTH = 100;

interface Place {
  /** The path to what is being checked. All places share the list. */
  readonly path: string[];
  readonly scope: Scope;
}

/**
 * A frozen copy of the value. `type` is the named type around it, whose comment says what the value must be.
 *
 * @throws InputError that names the path to the first mistake.
 */
export function walk(value: unknown, node: SchemaNode, place: Place, type?: SchemaNode): unknown {
  const { path } = place;
  if (path.length > MAX_DEPTH)
    throw new InputError(`${path.slice(0, 12).join(".")}…`, `is nested deeper than ${MAX_DEPTH}`);
  const name = schema.typeNameOf(node);
  if (name !== undefined) return walkNamed(value, name, place);
  const kind = schema.kindOfValue(value);
  if (kind === undefined) return fail(place, `must be data that JSON can hold${notSent(value)}`);
  if (node.anyOf !== undefined)
    return walk(value, choose(value, kind, node, place, type), place, type);
  if (node.enum?.some((one) => one === value) === false) fail(place, notOneOf(node.enum, value));
  if (!schema.isSound(value, kind, node)) fail(place, schema.expectedOf(node, type));
  if (isPlainObject(value)) return walkObject(value, node, place);
  if (!Array.isArray(value)) return value;
  const { items = {} } = node;
  const copies = Array.from(value, (one, index) => walkWithin(String(index), one, items, place));
  return Object.freeze(copies);
}

function walkNamed(value: unknown, name: string, place: Place): unknown {
  const node = schema.definitionOf(name);
  const { [name]: parse } = parsers;
  const parsed = parse && inPlace(place, () => parse(value));
  if (parse !== undefined) return walk(parsed, {}, place);
  const copy = walk(value, node, place, node);
  const isSound = inPlace(place, () => checks[name]?.(copy as never, place.scope));
  return isSound === false ? fail(place, schema.saysOf(node)) : copy;
}

function walkObject(
  value: Readonly<Record<string, unknown>>,
  node: SchemaNode,
  place: Place,
): unknown {
  const { properties = {}, required = [], additionalProperties: others = {} } = node;
  const { minProperties = 0, propertyNames = {}, oneOf } = node;
  const known = Object.keys(properties);
  const names = namesIn(value);
  for (const name of names.filter((one) => !known.includes(one))) {
    if (!schema.isOpen(node)) fail(place, unknownMember(name, known), name);
    if (!schema.isSound(name, "string", propertyNames))
      fail(place, schema.saysOf(propertyNames), name);
  }
  const marks = oneOf?.flatMap((one) => one.required) ?? [];
  if (oneOf !== undefined && names.filter((name) => marks.includes(name)).length !== 1)
    fail(place, `must have one of ${formatList(marks, "or")}, and only one`);
  if (names.length < minProperties)
    fail(place, `must have at least one of ${formatList(known, "or")}`);
  for (const name of required) if (value[name] === undefined) fail(place, "is required", name);
  // In the order of the type, since later members refer to earlier ones. The copy keeps the order of the input.
  const copies = new Map<string, unknown>();
  for (const name of [...known, ...names]) {
    const member = Object.hasOwn(properties, name) ? properties[name] : others;
    if (value[name] === undefined || !member || copies.has(name)) continue;
    copies.set(name, walkWithin(name, value[name], member, place));
  }
  return Object.freeze(Object.fromEntries(names.map((name) => [name, copies.get(name)])));
}

function walkWithin(name: string, value: unknown, node: SchemaNode, place: Place): unknown {
  place.path.push(name);
  const copy = walk(value, node, place);
  place.path.pop();
  return copy;
}

/** The alternative of a union that a value was meant for, so that errors are about that one. */
function choose(
  value: unknown,
  kind: string,
  union: SchemaNode,
  place: Place,
  type: SchemaNode | undefined,
): SchemaNode {
  const options = optionsIn(union).filter(({ kinds }) => kinds.includes(kind));
  const [first] = options;
  if (first === undefined) return fail(place, schema.expectedOf(union, type));
  if (!isPlainObject(value) || options.length === 1) return first.node;
  const kinds: readonly unknown[] = options.flatMap(
    ({ node }) => schema.resolved(node).properties?.kind?.const ?? [],
  );
  if (kinds.length > 0) {
    const ofKind = options[kinds.indexOf(value.kind)];
    return ofKind?.node ?? fail(place, notOneOf(kinds.map(String), value.kind), "kind");
  }
  const names = namesIn(value);
  const fits = options.map((option) => fitOf(option, names));
  const best = options[fits.indexOf(Math.max(...fits))] ?? first;
  if (best.isOpen) return best.node;
  const known = options.flatMap((option) => option.known);
  for (const name of names.filter((one) => !known.includes(one))) {
    const hint = didYouMean(name, known);
    if (hint !== "") fail(place, `is not known here.${hint}`, name);
  }
  const marks = options.flatMap((option) => option.marks);
  if (names.some((name) => marks.includes(name))) return best.node;
  const isForObjects = type === undefined || options.length === optionsIn(union).length;
  const oneOf = `must have one of ${formatList([...new Set(marks)], "or")}`;
  return fail(place, isForObjects ? oneOf : schema.expectedOf(union, type));
}

/** An alternative of a union. */
interface Option {
  readonly node: SchemaNode;
  readonly kinds: readonly string[];
  readonly isOpen: boolean;
  readonly known: readonly string[];
  readonly required: readonly string[];
  /** It is recognised by any of these members. */
  readonly marks: readonly string[];
}

const options = new Map<SchemaNode, readonly Option[]>();

function optionsIn(union: SchemaNode): readonly Option[] {
  const found = options.get(union) ?? schema.alternativesIn(union).map(optionOf);
  options.set(union, found);
  return found;
}

function optionOf(node: SchemaNode): Option {
  const { properties = {}, required = [], oneOf = [] } = schema.resolved(node);
  const known = Object.keys(properties);
  const needed = [...required, ...oneOf.flatMap((one) => one.required)];
  const marks = needed.length > 0 ? needed : known;
  return { node, kinds: schema.kindsOf(node), isOpen: schema.isOpen(node), known, required, marks };
}

/** How well an object with these members fits. Objects that aren't exactly of another alternative fit an open one best. */
function fitOf({ isOpen, known, required, marks }: Option, names: readonly string[]): number {
  if (isOpen) return names.length - 0.5;
  const strange = names.filter((name) => !known.includes(name)).length;
  const missing = required.filter((name) => !names.includes(name)).length;
  const isMarked = marks.some((name) => names.includes(name));
  return names.length - 2 * strange - missing - (isMarked ? 0 : 1);
}

function namesIn(value: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.keys(value).filter((name) => value[name] !== undefined);
}

function notOneOf(known: readonly string[], sent: unknown): string {
  const hint = typeof sent === "string" ? didYouMean(sent, known) : "";
  return `must be one of ${formatList(known, "or")}${hint && `.${hint}`}`;
}

/** @throws InputError at the place, or at a member of it. */
function fail(place: Place, expected: string, member = ""): never {
  throw new InputError(fieldAt(place, shownName(member)), expected);
}

/** Runs a check whose errors name a field of what is at the place. */
function inPlace<Result>(place: Place, check: () => Result): Result {
  return renamingField((field) => fieldAt(place, field), check);
}

function fieldAt({ path }: Place, field: string): string {
  const names = [...path.map(shownName), field].filter((name) => name !== "");
  return names.join(".") || "scenario";
}

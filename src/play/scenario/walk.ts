/**
 * Checks input against the JSON schema of scenarios and copies it, in one pass. What a type means beyond its shape stands in
 * meanings.ts, by the type's name.
 */

import { didYouMean, formatList, unknownMember } from "../../base/did-you-mean.ts";
import { InputError, inField, isPlainObject, notSent } from "../../base/input.ts";
import { shownName } from "../../base/text.ts";
import { checks, parsers } from "./meanings.ts";
import type { Scope } from "./references.ts";
import type { SchemaNode } from "./schema.ts";
import * as schema from "./schema.ts";

const MAX_DEPTH = 100;

/**
 * A frozen copy of the value. `type` is the named type around it, whose comment says what the value must be.
 *
 * @throws InputError that names the path to the first mistake.
 */
export function walk(value: unknown, node: SchemaNode, scope: Scope, type?: SchemaNode): unknown {
  const name = schema.typeNameOf(node);
  if (name !== undefined) return walkNamed(value, name, scope);
  const kind = schema.kindOfValue(value);
  if (kind === undefined) fail(`must be data that JSON can hold${notSent(value)}`);
  if (node.anyOf !== undefined) return walk(value, choose(value, kind, node, type), scope, type);
  if (node.enum?.some((one) => one === value) === false) fail(notOneOf(node.enum, value));
  if (!schema.isSound(value, kind, node)) fail(schema.expectedOf(node, type));
  if (isPlainObject(value)) return walkObject(value, node, scope);
  if (!Array.isArray(value)) return value;
  const { items = {} } = node;
  const copies = Array.from(value, (one, index) => walkWithin(String(index), one, items, scope));
  return Object.freeze(copies);
}

function walkNamed(value: unknown, name: string, scope: Scope): unknown {
  const node = schema.definitionOf(name);
  const { [name]: parse } = parsers;
  if (parse !== undefined) return walk(parse(value), {}, scope);
  const copy = walk(value, node, scope, node);
  if (checks[name]?.(copy as never, scope) === false) fail(schema.saysOf(node));
  return copy;
}

type Members = Readonly<Record<string, unknown>>;

function walkObject(value: Members, node: SchemaNode, scope: Scope): unknown {
  const { properties = {}, required = [], additionalProperties: others = {} } = node;
  const { minProperties = 0, propertyNames = {}, oneOf } = node;
  const known = Object.keys(properties);
  const names = namesIn(value);
  for (const name of names.filter((one) => !known.includes(one))) {
    if (!schema.isOpen(node)) fail(unknownMember(name, known), name);
    if (!schema.isSound(name, "string", propertyNames)) fail(schema.saysOf(propertyNames), name);
  }
  const marks = oneOf?.flatMap((one) => one.required) ?? [];
  if (oneOf !== undefined && names.filter((name) => marks.includes(name)).length !== 1)
    fail(`must have one of ${formatList(marks, "or")}, and only one`);
  if (names.length < minProperties) fail(`must have at least one of ${formatList(known, "or")}`);
  for (const name of required) if (value[name] === undefined) fail("is required", name);
  // In the order of the type, since later members refer to earlier ones. The copy keeps the order of the input.
  const copies = new Map<string, unknown>();
  for (const name of [...known, ...names]) {
    const member = Object.hasOwn(properties, name) ? properties[name] : others;
    if (value[name] === undefined || !member || copies.has(name)) continue;
    copies.set(name, walkWithin(name, value[name], member, scope));
  }
  return Object.freeze(Object.fromEntries(names.map((name) => [name, copies.get(name)])));
}

function walkWithin(name: string, value: unknown, node: SchemaNode, scope: Scope): unknown {
  scope.depth += 1;
  if (scope.depth > MAX_DEPTH) fail(`is nested deeper than ${MAX_DEPTH}`);
  const copy = inField(shownName(name), () => walk(value, node, scope));
  scope.depth -= 1;
  return copy;
}

/** The alternative of a union that a value was meant for, so that errors are about that one. */
function choose(value: unknown, kind: string, union: SchemaNode, type?: SchemaNode): SchemaNode {
  const options = optionsIn(union).filter(({ node }) => schema.kindsOf(node).includes(kind));
  const [first = fail(schema.expectedOf(union, type))] = options;
  if (!isPlainObject(value) || options.length === 1) return first.node;
  const kinds = options.flatMap((one) => one.kind ?? []);
  if (kinds.length > 0) {
    const ofKind = options.find((one) => one.kind === value.kind);
    return ofKind?.node ?? fail(notOneOf(kinds, value.kind), "kind");
  }
  const names = namesIn(value);
  // With members of any name, such as those of a matcher, only what is exactly another alternative is meant as that.
  const open = options.find(({ node }) => schema.isOpen(node));
  const isExact = (one: Option): boolean =>
    names.length === one.known.length && names.every((name) => one.known.includes(name));
  if (open !== undefined) return (options.find(isExact) ?? open).node;
  const known = [...new Set(options.flatMap((one) => one.known))];
  const strange = names.find((name) => !known.includes(name));
  if (strange !== undefined) fail(unknownMember(strange, known), strange);
  // Otherwise the one of which most marks are there.
  const marks = [...new Set(options.flatMap((one) => one.marks))];
  const counts = options.map((one) => one.marks.filter((mark) => names.includes(mark)).length);
  const most = Math.max(...counts);
  if (most === 0) fail(`must have one of ${formatList(marks, "or")}`);
  return (options[counts.indexOf(most)] ?? first).node;
}

/** An alternative of a union. */
interface Option {
  readonly node: SchemaNode;
  readonly known: readonly string[];
  /** It is recognised by these members. */
  readonly marks: readonly string[];
  /** It is recognised by this `kind`. */
  readonly kind: string | undefined;
}

const optionsOf = new Map<SchemaNode, readonly Option[]>();

function optionsIn(union: SchemaNode): readonly Option[] {
  const found = optionsOf.get(union) ?? schema.alternativesIn(union).map(optionOf);
  optionsOf.set(union, found);
  return found;
}

function optionOf(node: SchemaNode): Option {
  const { properties = {}, required = [], oneOf = [] } = schema.resolved(node);
  const known = Object.keys(properties);
  const needed = [...required, ...oneOf.flatMap((one) => one.required)];
  const marks = needed.length > 0 ? needed : known;
  return { node, known, marks, kind: properties.kind && String(properties.kind.const) };
}

function namesIn(value: Members): readonly string[] {
  return Object.keys(value).filter((name) => value[name] !== undefined);
}

function notOneOf(known: readonly string[], sent: unknown): string {
  const hint = typeof sent === "string" ? didYouMean(sent, known) : "";
  return `must be one of ${formatList(known, "or")}${hint && `.${hint}`}`;
}

/** @throws InputError about the value, or a member of it. The callers add the path. */
function fail(expected: string, member = ""): never {
  throw new InputError(shownName(member), expected);
}

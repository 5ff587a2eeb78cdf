/** Chooses the alternative of a union that a value was meant for, so that errors are about that one. */

import { didYouMean, formatList } from "../../base/did-you-mean.ts";
import { isPlainObject } from "../../base/input.ts";
import { whyNoRule } from "./matchers.ts";
import { fail, type Place } from "./place.ts";
import type { SchemaNode } from "./schema.ts";
import * as schema from "./schema.ts";

/** @throws InputError if there is none. `says` is what the value must be. */
export function choose(
  value: unknown,
  kind: string,
  union: SchemaNode,
  place: Place,
  says: string | undefined,
): SchemaNode {
  const all = schema.alternativesIn(union).filter((one) => schema.kindsOf(one)?.includes(kind));
  const [first] = all;
  if (first === undefined) return fail(place, says ?? schema.expectedOf(union));
  if (!isPlainObject(value) || all.length === 1) return first;
  const kinds = all.map((one) => schema.resolved(one).properties?.kind?.const);
  if (!kinds.includes(undefined)) return all[kinds.indexOf(value.kind)] ?? oneOfKind(kinds);
  const names = Object.keys(value).filter((name) => value[name] !== undefined);
  const options = all.map((node) => optionOf(node, all, names));
  const marks = options.flatMap(({ mark, members }) => mark ?? members);
  if (place.use === "request") return chosenByMark(options, names, place, says, marks);
  // Other objects in a matcher are data.
  const rule = options.find(({ isExact }) => isExact) ?? options.find(({ isOpen }) => isOpen);
  return rule?.node ?? fail(place, whyNoRule(names, marks, says));
}

type Option = ReturnType<typeof optionOf>;

/** An alternative for an object with these names. `mark` is the member that it needs and no other alternative does. */
function optionOf(node: SchemaNode, all: readonly SchemaNode[], names: readonly string[]) {
  const { properties = {}, required = [], ...rest } = schema.resolved(node);
  const others = all.filter((one) => one !== node).flatMap((one) => schema.resolved(one).required);
  const members = Object.keys(properties);
  return {
    node,
    members,
    mark: required.find((name) => !others.includes(name)),
    known: names.filter((name) => members.includes(name)).length,
    isExact: required.length === names.length && required.every((name) => names.includes(name)),
    isOpen: schema.isOpen(rest),
  };
}

/** The one whose mark is there. Of several, the one that knows most names: `expect` also marks a step of its own. */
function chosenByMark(
  options: readonly Option[],
  names: readonly string[],
  place: Place,
  says: string | undefined,
  marks: readonly string[],
): SchemaNode {
  const marked = options.filter(({ mark = "" }) => names.includes(mark));
  const fits = marked.length > 0 ? marked : options.filter(({ mark, known }) => !mark && known > 0);
  const most = Math.max(...fits.map(({ known }) => known));
  const [best, ...others] = fits.filter(({ known }) => known === most);
  if (best === undefined) {
    const hint = names.map((name) => didYouMean(name, marks)).find((one) => one !== "") ?? "";
    return fail(place, `${says ?? `must have one of ${formatList(marks, "or")}`}.${hint}`);
  }
  if (others.length === 0) return best.node;
  const both = formatList([best, ...others].map(({ mark }) => mark ?? ""));
  return fail(place, `has ${both}. Only one of these can be here`);
}

/** Where the kind is wrong, only the kind is checked. */
function oneOfKind(kinds: readonly unknown[]): SchemaNode {
  const kind = { type: "string", enum: kinds.map(String) };
  return { type: "object", properties: { kind }, required: ["kind"], additionalProperties: {} };
}

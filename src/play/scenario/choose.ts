/** Chooses the alternative of a union that a value was meant for, so that errors are about that one. */

import { didYouMean, formatList } from "../../base/did-you-mean.ts";
import { isPlainObject } from "../../base/input.ts";
import { whyNoRule } from "./matchers.ts";
import { fail, type Place } from "./place.ts";
import type { SchemaNode } from "./schema.ts";
import * as schema from "./schema.ts";

/** @throws InputError if there is none. `type` is the named type that the union belongs to. */
export function choose(
  value: unknown,
  kind: string,
  union: SchemaNode,
  place: Place,
  type: SchemaNode | undefined,
): SchemaNode {
  const first = schema.alternativesIn(union).find((one) => schema.kindsOf(one)?.includes(kind));
  if (first === undefined) return fail(place, schema.expectedOf(union, type));
  if (!isPlainObject(value)) return first;
  const options = optionsIn(union);
  if (options.length === 1) return first;
  const kinds = options.map(({ properties }) => properties.kind?.const);
  if (!kinds.includes(undefined)) {
    return options[kinds.indexOf(value.kind)]?.node ?? oneOfKind(kinds);
  }
  const names = Object.keys(value).filter((name) => value[name] !== undefined);
  if (place.use === "request") return chosenByMark(options, names, place, { union, type });
  const rule = options.find(({ required }) => {
    return required.length === names.length && required.every((name) => names.includes(name));
  });
  // Other objects in a matcher are data.
  const found = rule ?? options.find(({ isOpen }) => isOpen);
  return (
    found?.node ?? fail(place, whyNoRule(names, marksOf(options), schema.expectedOf(union, type)))
  );
}

/** An alternative for objects. */
interface Option {
  readonly node: SchemaNode;
  readonly properties: Readonly<Record<string, SchemaNode>>;
  readonly required: readonly string[];
  /** The member that it needs and no other alternative does. */
  readonly mark: string | undefined;
  readonly isOpen: boolean;
}

const optionsIn = schema.kept((union): readonly Option[] => {
  const all = schema.alternativesIn(union).filter((one) => schema.kindsOf(one)?.includes("object"));
  return all.map((node) => {
    const { properties = {}, required = [] } = schema.resolved(node);
    const others = all.filter((one) => one !== node);
    const needed = others.flatMap((one) => schema.resolved(one).required ?? []);
    const mark = required.find((name) => !needed.includes(name));
    return { node, properties, required, mark, isOpen: schema.isOpen(schema.resolved(node)) };
  });
});

function marksOf(options: readonly Option[]): string[] {
  return options.flatMap(({ mark, properties }) => mark ?? Object.keys(properties));
}

/** The one whose mark is there. Of several, the one that knows most names: `expect` also marks a step of its own. */
function chosenByMark(
  options: readonly Option[],
  names: readonly string[],
  place: Place,
  { union, type }: { readonly union: SchemaNode; readonly type: SchemaNode | undefined },
): SchemaNode {
  const known = ({ properties }: Option): number =>
    names.filter((name) => Object.hasOwn(properties, name)).length;
  const marked = options.filter(({ mark = "" }) => names.includes(mark));
  const unmarked = options.filter((one) => one.mark === undefined && known(one) > 0);
  const fits = marked.length > 0 ? marked : unmarked;
  const most = Math.max(...fits.map(known));
  const [best, ...others] = fits.filter((one) => known(one) === most);
  if (best === undefined) {
    const marks = marksOf(options);
    const hint = names.map((name) => didYouMean(name, marks)).find((one) => one !== "") ?? "";
    const hasNoun = type?.description !== undefined && !schema.isOnlyObjects(union);
    const oneOf = `must have one of ${formatList(marks, "or")}`;
    return fail(place, `${hasNoun ? schema.saysOf(type) : oneOf}.${hint}`);
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

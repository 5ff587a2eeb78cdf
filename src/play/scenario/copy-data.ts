/** Copies any input into plain, frozen data, as JSON could hold it. */

import { InputError, isPlainObject } from "../../base/input.ts";

const MAX_DEPTH = 100;
/** The longest scenario as JSON text, in UTF-16 units. */
export const MAX_TEXT = 4 * 1024 * 1024;

/**
 * Returns a frozen copy of JSON-like data. Undefined members are left out.
 *
 * @throws InputError with the path, for anything that isn't JSON data.
 */
export function copyData(value: unknown, path: readonly string[] = []): unknown {
  const refuse = (expected: string): never => {
    const field = path.slice(0, 12).join(".") + (path.length > 12 ? "…" : "");
    throw new InputError(field || "scenario", expected);
  };
  if (typeof value === "string") {
    return value.isWellFormed() ? value : refuse("must be well-formed Unicode");
  }
  if (typeof value === "number") {
    return Number.isFinite(value)
      ? value
      : refuse(`must be a number that JSON can hold, not ${value}`);
  }
  if (typeof value === "boolean" || value === null) return value;
  if (path.length > MAX_DEPTH) refuse(`is nested deeper than ${MAX_DEPTH} levels`);
  if (Array.isArray(value)) {
    const items = Array.from(value, (item: unknown, index) =>
      copyData(item, [...path, `${index}`]),
    );
    return Object.freeze(items);
  }
  if (typeof value === "object" && isPlainObject(value)) {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    const copied = members.map(([name, member]) => [name, copyData(member, [...path, name])]);
    return Object.freeze(Object.fromEntries(copied));
  }
  if (typeof value === "object") {
    refuse("must be a plain object, not an instance of a class such as Map or Date");
  }
  return refuse(`must be data, not ${value === undefined ? "undefined" : `a ${typeof value}`}`);
}

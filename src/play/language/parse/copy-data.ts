/** Copies any input into plain, frozen data of bounded size, so that the rest of the parser can trust it. */

import { InputError, isPlainObject } from "../../../base/input.ts";
import { safeName } from "../../../base/safe-name.ts";

const MAX_DEPTH = 100;
/** Total number of values. */
const MAX_VALUES = 2_000_000;
/** Total length in UTF-16 units of all texts and names, and of a scenario as JSON. */
export const MAX_TEXT: number = 4 * 1024 * 1024;

/** Names that every object inherits. They are rejected, so that no look-up mistakes one for a given member. */
const inheritedNames: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype));

/**
 * Returns a frozen copy of JSON-like data. Undefined members are left out.
 *
 * @throws InputError with the path, for anything that isn't JSON data and for too much data.
 */
export function copyData(input: unknown): unknown {
  try {
    return createCopier()(input);
  } catch (error) {
    if (error instanceof InputError) throw error;
    // Reading a Proxy can throw anything.
    throw new InputError("scenario", "must be plain data: reading it threw an error");
  }
}

function createCopier(): (input: unknown) => unknown {
  const path: (string | number)[] = [];
  const ancestors = new Set<object>();
  let values = 0;
  let text = 0;

  function refuse(expected: string): never {
    const parts = path.map((part) => (typeof part === "number" ? String(part) : safeName(part)));
    // The first parts of a very deep path are enough.
    const field = parts.slice(0, 12).join(".") + (parts.length > 12 ? "…" : "");
    throw new InputError(field || "scenario", expected);
  }
  function read(more: string): void {
    text += more.length;
    if (text > MAX_TEXT) refuse(`makes the scenario longer than ${MAX_TEXT} characters of text`);
  }
  function copy(value: unknown): unknown {
    values += 1;
    if (values > MAX_VALUES) refuse(`is one value too many: a scenario can have ${MAX_VALUES}`);
    if (typeof value === "string") {
      read(value);
      return value.isWellFormed() ? value : refuse("must be well-formed Unicode");
    }
    if (typeof value === "number") {
      return Number.isFinite(value)
        ? value
        : refuse(`must be a number that JSON can hold, not ${value}`);
    }
    if (typeof value === "boolean" || value === null) return value;
    if (typeof value !== "object") return refuse(`must be data, not ${kindOf(value)}`);
    if (path.length >= MAX_DEPTH) refuse(`is nested deeper than ${MAX_DEPTH} levels`);
    if (ancestors.has(value))
      refuse("contains itself: a scenario must not have circular references");
    ancestors.add(value);
    const copied = Array.isArray(value) ? copyList(value) : copyObject(value);
    ancestors.delete(value);
    return Object.freeze(copied);
  }
  function copyList(list: readonly unknown[]): unknown[] {
    const { length } = list;
    if (length > MAX_VALUES) refuse(`is too long: a scenario can have ${MAX_VALUES} values`);
    const copied: unknown[] = [];
    for (let index = 0; index < length; index += 1) {
      path.push(index);
      copied.push(copy(memberOf(list, String(index))));
      path.pop();
    }
    return copied;
  }
  function copyObject(value: object): object {
    if (!isPlainObject(value))
      refuse("must be a plain object, not an instance of a class such as Map or Date");
    const copied: Record<string, unknown> = {};
    for (const name of Reflect.ownKeys(value)) {
      if (typeof name === "symbol") return refuse("must not have symbols as names");
      path.push(name);
      read(name);
      if (inheritedNames.has(name)) {
        refuse("is a name that every JavaScript object inherits, so it can't be used here");
      }
      const member = memberOf(value, name);
      if (member !== undefined) copied[name] = copy(member);
      path.pop();
    }
    return copied;
  }
  function memberOf(of: object, name: string): unknown {
    const property = Object.getOwnPropertyDescriptor(of, name);
    if (property === undefined) return refuse("is missing: the list has a gap");
    if (!("value" in property)) return refuse("must be a value, not a getter");
    return property.value;
  }

  return copy;
}

function kindOf(value: unknown): string {
  return value === undefined ? "undefined" : `a ${typeof value}`;
}

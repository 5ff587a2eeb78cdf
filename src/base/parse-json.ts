/** Parses JSON from outside. Some editors write a byte order mark first. */

import { isPlainObject } from "./input.ts";
import { oneLine, orUndefined } from "./text.ts";

/** @throws what `fail` makes of "is not valid JSON: …", with the engine's words, which may quote a few characters of the text. */
export function parseJson(json: string, fail: (mistake: string) => Error): unknown {
  try {
    return JSON.parse(json.replace(/^\ufeff/, ""));
  } catch (error) {
    const words = String((error as Error).message).replace(/ is not valid JSON$/, "");
    throw fail(`is not valid JSON: ${oneLine(words, 120)}`);
  }
}

/** The value of a JSON text; undefined if it isn't JSON. */
export function jsonIn(text: string): unknown {
  return orUndefined(() => JSON.parse(text));
}

/** The members of a JSON object; undefined for any other text. */
export function jsonObjectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = jsonIn(text);
  return isPlainObject(value) ? value : undefined;
}

/** A member of a JSON object; undefined for any other value. */
export function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

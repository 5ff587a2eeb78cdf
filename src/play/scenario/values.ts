/** Objects that stand for a value: a reference, a header, a numbered text, a date. */

import type { Value } from "./types.ts";

const forms = ["ref", "numbered", "daysAgo", "header,of", "of,header"];

/** The object as one that stands for a value; undefined for any other. */
export function valueObject(input: Readonly<Record<string, unknown>>): Value | undefined {
  return forms.includes(Object.keys(input).join()) ? (input as unknown as Value) : undefined;
}

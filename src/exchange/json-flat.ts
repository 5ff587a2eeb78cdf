/**
 * The short way for the body that nearly every client sends: one JSON object of plain text members. It never decides
 * that a body is wrong: whatever it doesn't know goes the long way, through `JSON.parse`.
 */

/** Printable ASCII without escapes: here every quote is a delimiter. */
const PLAIN = /^[ -[\]-~]*$/;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const SPACE = 0x20;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/**
 * The values of a JSON object in the order of `names`, undefined for a name that it doesn't have. Undefined as a whole
 * unless its members are all among `names`, once each, and texts of printable ASCII that are not empty.
 */
export function readFlatJson(
  text: string,
  names: readonly string[],
): readonly (string | undefined)[] | undefined {
  if (text.charCodeAt(0) !== OPEN || !PLAIN.test(text)) return undefined;
  const values: (string | undefined)[] = names.map(() => undefined);
  let at = 1;
  for (;;) {
    if (text.charCodeAt(at) !== QUOTE) return undefined;
    const index = nameAt(text, at + 1, names);
    const name = names[index];
    if (name === undefined || values[index] !== undefined) return undefined;
    at += name.length + 2;
    if (text.charCodeAt(at) !== COLON) return undefined;
    at += text.charCodeAt(at + 1) === SPACE ? 2 : 1;
    if (text.charCodeAt(at) !== QUOTE) return undefined;
    const end = text.indexOf('"', at + 1);
    if (end <= at + 1) return undefined;
    values[index] = text.slice(at + 1, end);
    const next = text.charCodeAt(end + 1);
    if (next === CLOSE) return end + 2 === text.length ? values : undefined;
    if (next !== COMMA) return undefined;
    at = end + (text.charCodeAt(end + 2) === SPACE ? 3 : 2);
  }
}

function nameAt(text: string, at: number, names: readonly string[]): number {
  for (let index = 0; index < names.length; index += 1) {
    const name = names[index] ?? "";
    if (text.charCodeAt(at + name.length) === QUOTE && text.startsWith(name, at)) return index;
  }
  return -1;
}

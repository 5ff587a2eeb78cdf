/**
 * Rewrites the objects of a JSON text, member by member. Names, strings and numbers keep their spelling, which a parser
 * could change.
 */

/** Returns the members that replace `members`, each written `"name":value`. The outermost object has depth 0. */
export type ObjectRewriter = (members: readonly string[], depth: number) => readonly string[];

/** `text` is valid JSON without white space between tokens, as `JSON.stringify` writes it. Inner objects come first. */
export function rewriteObjects(text: string, rewrite: ObjectRewriter): string {
  let at = 0;

  function value(depth: number): string {
    const first = text.charCodeAt(at);
    if (first === BRACE) return object(depth);
    if (first === BRACKET) return `[${items(() => value(depth)).join(",")}]`;
    const start = at;
    skipScalar();
    return text.slice(start, at);
  }
  function object(depth: number): string {
    const members = items(() => {
      const start = at;
      skipScalar();
      const name = text.slice(start, at);
      at += 1;
      return `${name}:${value(depth + 1)}`;
    });
    return `{${rewrite(members, depth).join(",")}}`;
  }
  /** Reads the comma-separated items between a bracket and its closing one. */
  function items(read: () => string): string[] {
    const found: string[] = [];
    at += 1;
    while (!isClosing(text.charCodeAt(at))) {
      found.push(read());
      if (text.charCodeAt(at) === COMMA) at += 1;
    }
    at += 1;
    return found;
  }
  function skipScalar(): void {
    scalar.lastIndex = at;
    if (!scalar.test(text)) throw new Error("The text is not JSON. This is a bug in adsim.");
    at = scalar.lastIndex;
  }

  return value(0);
}

/** A string, a number, `true`, `false` or `null`. */
const scalar = /"[^"\\]*(?:\\.[^"\\]*)*"|[^"[\]{},:\s]+/y;

const BRACE = 0x7b;
const BRACKET = 0x5b;
const COMMA = 0x2c;

/** } and ] are 0x7d and 0x5d. */
function isClosing(code: number): boolean {
  return (code | 0x20) === 0x7d;
}

/**
 * Rewrites the objects of a JSON text, member by member. Every name, text and number stays as it is written: numbers
 * that went through a parser could come out in another spelling.
 */

/** Gives the members that take the place of `members`, each written `"name":value`. `depth`: 0 is the outermost object. */
export type ObjectRewriter = (members: readonly string[], depth: number) => readonly string[];

/** `text`: valid JSON without white space between its tokens, as `JSON.stringify` writes it. Inner objects come first. */
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
  /** What stands between an opening bracket and its closing one, apart by commas. */
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
    if (!scalar.test(text)) throw new Error("A JSON text that isn't one. This is a bug in adsim.");
    at = scalar.lastIndex;
  }

  return value(0);
}

/** A text, a number, or one of the three words. */
const scalar = /"[^"\\]*(?:\\.[^"\\]*)*"|[^"[\]{},:\s]+/y;

const BRACE = 0x7b;
const BRACKET = 0x5b;
const COMMA = 0x2c;

/** } and ] are 0x7d and 0x5d. */
function isClosing(code: number): boolean {
  return (code | 0x20) === 0x7d;
}

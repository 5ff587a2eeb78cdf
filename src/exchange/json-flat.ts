/**
 * The short way for the body that nearly every client sends: one JSON object of plain text members. It never decides
 * that a body is wrong: whatever it doesn't know goes the long way, through `JSON.parse`.
 */

/** Printable ASCII without escapes: here every quote is a delimiter. */
const PLAIN = /^[ -[\]-~]*$/;
const COMMA = 0x2c;
const SPACE = 0x20;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** How a member of text may begin: `"name":"`, or with a space after the colon. */
interface MemberStart {
  readonly tight: string;
  readonly spaced: string;
}

/**
 * A reader of JSON objects whose members are all among `names`, once each, and texts of printable ASCII that are not
 * empty. It gives the values in the order of `names`, undefined for a member that is missing; and undefined as a whole
 * for any other text.
 */
export function flatJsonReader(
  names: readonly string[],
): (text: string) => readonly (string | undefined)[] | undefined {
  const starts = names.map((name) => ({ tight: `"${name}":"`, spaced: `"${name}": "` }));
  const absent = names.map(() => undefined);
  return (text) => {
    if (text.charCodeAt(0) !== OPEN || !PLAIN.test(text)) return undefined;
    const values: (string | undefined)[] = absent.slice();
    let at = 1;
    let expected = 0;
    for (;;) {
      const index = memberAt(text, at, starts, expected);
      const start = starts[index];
      if (start === undefined || values[index] !== undefined) return undefined;
      at +=
        text.charCodeAt(at + start.tight.length - 1) === SPACE
          ? start.spaced.length
          : start.tight.length;
      const end = text.indexOf('"', at);
      if (end <= at) return undefined;
      values[index] = text.slice(at, end);
      const next = text.charCodeAt(end + 1);
      if (next === CLOSE) return end + 2 === text.length ? values : undefined;
      if (next !== COMMA) return undefined;
      at = end + (text.charCodeAt(end + 2) === SPACE ? 3 : 2);
      expected = index + 1;
    }
  };
}

/** Which member begins here, the `expected` one tried first; -1 for none. */
function memberAt(
  text: string,
  at: number,
  starts: readonly MemberStart[],
  expected: number,
): number {
  if (text.startsWith(starts[expected]?.tight ?? "\n", at)) return expected;
  return starts.findIndex(
    ({ tight, spaced }) => text.startsWith(tight, at) || text.startsWith(spaced, at),
  );
}

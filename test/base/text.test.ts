/** Text from outside is made safe to print. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { printable, printableLines } from "../../src/base/text.ts";

/** Controls (C0, DEL, C1), line separators, and characters that change the direction of text. */
const acting = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/u;

const hostile = fc.string({
  unit: fc.oneof(
    fc.constantFrom("\u001b[2J", "\u009b", "\u007f", "\u0085", "\u202e", "\u2066", "\u2028", "\n"),
    fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
    fc.constantFrom("\u{e0041}", "\u{f0000}", "ü", "😀", '"', "\\"),
  ),
});

test("characters that act on a terminal are escaped, and other text stays as it is", () => {
  for (let code = 0; code <= 0xffff; code += 1) {
    const character = String.fromCharCode(code);
    expect(acting.test(printable(`a${character}b`))).toBe(false);
  }
  fc.assert(
    fc.property(hostile, (text) => {
      expect(printable(text).isWellFormed()).toBe(true);
      for (const shown of [printable(text), printableLines(text).replaceAll(/[\n\t]/g, "")])
        expect(shown).not.toMatch(acting);
    }),
  );
  expect(printable("naïve 日本語 עברית 😀 \\n")).toBe("naïve 日本語 עברית 😀 \\n");
});

test("each of them gets its own escape; printableLines keeps line feeds and tabs", () => {
  const text = "a\u001b\r\n\tb\u009b\u{e0041}\ud800";
  expect(printable(text)).toBe("a\\u001b\\r\\n\\tb\\u009b\\udb40\\udc41\\ud800");
  expect(printableLines(text)).toBe("a\\u001b\\r\n\tb\\u009b\\udb40\\udc41\\ud800");
});

test("JSON parses to the same value after printableLines", () => {
  fc.assert(
    fc.property(fc.dictionary(hostile, fc.oneof(hostile, fc.array(hostile))), (value) => {
      for (const indent of [undefined, 2]) {
        expect(JSON.parse(printableLines(JSON.stringify(value, undefined, indent)))).toEqual(
          JSON.parse(JSON.stringify(value)),
        );
      }
    }),
  );
});

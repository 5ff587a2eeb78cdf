/** Texts hashed to 64 bits, whole or inside a longer text. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TextHash } from "../../src/base/text-hash.ts";

function whole(text: string): string {
  const hash = new TextHash();
  hash.take(text);
  return `${hash.a} ${hash.b}`;
}

describe("the hash of a text", () => {
  test("is the same inside a longer text, which is read as far as it is plain", () => {
    const texts = fc.record({
      before: fc.string(),
      plain: fc.stringMatching(/^[ !#-[\]-~]*$/),
      end: fc.constantFrom(
        "",
        '"',
        "\\",
        "\u007f",
        "\u001f",
        "\n",
        "é",
        "\ud800",
        "\u0122",
        "\uff41",
      ),
      after: fc.string(),
    });
    fc.assert(
      fc.property(texts, ({ before, plain, end, after }) => {
        const hash = new TextHash();
        const text = before + plain + (end === "" ? "" : end + after);
        expect(hash.takePlain(text, before.length)).toBe(before.length + plain.length);
        expect(`${hash.a} ${hash.b}`).toBe(whole(plain));
      }),
    );
  });

  test("doesn't depend on the texts that were hashed before", () => {
    const hash = new TextHash();
    for (const text of ["session", "", "ad", "ad"]) {
      hash.take(text);
      expect(`${hash.a} ${hash.b}`).toBe(whole(text));
    }
  });
});

test("different texts get different hashes, and almost always differ in each half", () => {
  const texts = [
    ...Array.from({ length: 20_000 }, (_, index) => `session-${index}`),
    ...Array.from({ length: 60 }, (_, length) => "\0".repeat(length)),
    ...Array.from({ length: 60 }, (_, length) => "a".repeat(length + 1)),
    ...[
      "Session-1",
      "session-1 ",
      " session-1",
      "1-session",
      "é",
      "e\u0301",
      "सत्र",
      "\ud83d\ude00",
    ],
  ];
  const prints = texts.map(whole);
  expect(new Set(prints).size).toBe(texts.length);
  // By chance, about one pair in 2^32 shares a half.
  for (const half of [0, 1]) {
    expect(new Set(prints.map((print) => print.split(" ")[half])).size).toBeGreaterThan(
      texts.length - 5,
    );
  }
});

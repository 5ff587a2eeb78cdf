/** Rewriting objects inside JSON text: members may move, and every token keeps its spelling. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { rewriteObjects } from "../../src/base/json-objects.ts";

const same = (members: readonly string[]): readonly string[] => members;
const reversed = (members: readonly string[]): readonly string[] => members.toReversed();

test("keeping the members, or reversing them twice, gives the same text", () => {
  fc.assert(
    fc.property(fc.json({ stringUnit: "binary" }), (json) => {
      // As JSON.stringify writes it: without white space.
      const text = JSON.stringify(JSON.parse(json));
      expect(rewriteObjects(text, same)).toBe(text);
      expect(rewriteObjects(rewriteObjects(text, reversed), reversed)).toBe(text);
    }),
    { seed: 1, numRuns: 400 },
  );
});

test("numbers keep the spelling that a parser would lose", () => {
  const text = '{"a":1.10,"b":-0,"c":12345678901234567890,"d":1e5}';
  expect(rewriteObjects(text, reversed)).toBe('{"d":1e5,"c":12345678901234567890,"b":-0,"a":1.10}');
});

test("strings may hold brackets, commas and escaped quotes", () => {
  const text = '{"a":"{\\"x\\":[1,2]},","b\\\\":"\\\\\\"]}","":{}}';
  expect(rewriteObjects(text, reversed)).toBe('{"":{},"b\\\\":"\\\\\\"]}","a":"{\\"x\\":[1,2]},"}');
});

test("each object comes with its depth, inner ones first; arrays keep their order and add no depth", () => {
  const seen: string[] = [];
  const text = '{"a":[{"b":{"c":1}},[{"d":2}],true,null],"e":"f"}';
  const marked = rewriteObjects(text, (members, depth) => {
    seen.push(`${depth} ${members.length}`);
    return [...members, `"depth":${depth}`];
  });
  expect(seen).toEqual(["2 1", "1 1", "1 1", "0 2"]);
  expect(marked).toBe(
    '{"a":[{"b":{"c":1,"depth":2},"depth":1},[{"d":2,"depth":1}],true,null],"e":"f","depth":0}',
  );
});

test("an empty object can get members, and an empty array stays as it is", () => {
  expect(rewriteObjects("{}", () => ['"a":1'])).toBe('{"a":1}');
  expect(rewriteObjects("[]", () => ['"a":1'])).toBe("[]");
});

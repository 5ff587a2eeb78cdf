/** Suggestions for a misspelled name: the nearest name, or none if no name is near. */

import { expect, test } from "vitest";
import { didYouMean } from "../../src/base/did-you-mean.ts";

const names = ["serve", "exec", "export", "play", "oldest-first", "limit.algorithm", "--port"];

test.each([
  ["sreve", "serve"],
  ["srve", "serve"],
  ["EXEC", "exec"],
  ["paly", "play"],
  ["exprot", "export"],
  ["limit.algorythms", "limit.algorithm"],
  ["limitalgorithm", "limit.algorithm"],
  ["oldest", "oldest-first"],
  ["--prot", "--port"],
])("%s gets the suggestion %s", (sent, meant) => {
  expect(didYouMean(sent, names)).toBe(` Did you mean "${meant}"?`);
});

test.each(["", "x", "foo", "merge", "run", "import", "ex", "display", "--cors", "server2go"])(
  "%j gets no suggestion",
  (sent) => {
    expect(didYouMean(sent, names)).toBe("");
  },
);

/** Suggestions for a misspelled name: the nearest name, or none if no name is near. */

import { expect, test } from "vitest";
import { didYouMean } from "../../src/base/did-you-mean.ts";

const names = ["serve", "exec", "export", "play", "oldest-first", "limit.algorithm", "--port"];

test.each([
  ["serve", ["sreve", "srve"]],
  ["exec", ["EXEC"]],
  ["export", ["exprot"]],
  ["play", ["paly"]],
  ["limit.algorithm", ["limit.algorythms", "limitalgorithm"]],
  ["oldest-first", ["oldest"]],
  ["--port", ["--prot"]],
])("%s is suggested for each of %j", (meant, all) => {
  for (const sent of all) expect(didYouMean(sent, names)).toBe(` Did you mean "${meant}"?`);
});

test.each(["", "x", "foo", "merge", "run", "import", "ex", "display", "--cors", "server2go"])(
  "nothing is suggested for %j",
  (sent) => {
    expect(didYouMean(sent, names)).toBe("");
  },
);

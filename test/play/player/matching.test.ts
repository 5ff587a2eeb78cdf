/** How a matcher judges a value: rule by rule, and when the result is undecided. */

import { describe, expect, test } from "vitest";
import { match, resultOf } from "../../../src/play/player/matching.ts";
import type { StepOutput } from "../../../src/play/player/values.ts";
import type { Matcher } from "../../../src/play/scenario/types.ts";

const answer: StepOutput = {
  kind: "answer",
  exchange: {
    operation: "impression",
    atMs: 0,
    request: { method: "POST", path: "/v1/impression" },
    outcome: "answered",
    status: 200,
    headers: { "x-ratelimit-remaining": "7" },
    text: '{"impression_id":"imp_1","revenue_credited_inr":0.1,"odd":{"0":[1,2]}}',
    latencyMs: 0,
  },
};
const outputs = new Map<string, StepOutput>([
  ["first", answer],
  ["gone", { kind: "nothing", why: "the target can't do that" }],
]);

function checksOf(matcher: Matcher, actual: unknown): ReturnType<typeof resultOf> {
  return resultOf(match(matcher, { actual, about: "it", scope }));
}

const scope = { outputs, members: new Map(), round: 3, nowMs: 0 };

describe.each<[Matcher, passed: unknown[], failed: unknown[]]>([
  [0, [0, -0], [1]],
  [3, [3], [4, "3", undefined, null, [3]]],
  ["a", ["a"], ["A", 1]],
  [null, [null], [undefined, 0, ""]],
  [{ atLeast: 2 }, [2, 3.5], [1.999, "2", undefined]],
  [{ atMost: 2 }, [2, -1], [2.001, "2"]],
  [{ between: [1, 2] }, [1, 1.5, 2], [0.99, 2.01, "1"]],
  [{ oneOf: [1, "b", { atLeast: 10 }] }, [1, "b", 10], [2, "a"]],
  [{ not: 3 }, [4, "3", null], [3]],
  [{ not: { absent: true } }, [0, null], [undefined]],
  [{ not: { contains: "a" } }, ["b"], ["ab"]],
  [{ type: "integer" }, [0, -4], [0.5, "1", null]],
  [{ type: "number" }, [0, 0.5], ["1"]],
  [{ type: "array" }, [[]], [{}, "[]"]],
  [{ type: "object" }, [{}], [[], null]],
  [{ type: "null" }, [null], [undefined]],
  [{ contains: "b" }, ["abc"], ["ac", ["b"]]],
  [{ startsWith: "imp" }, ["imp_1"], ["simp"]],
  [{ length: 2 }, ["ab", [1, 2]], ["a", [1], 2]],
  [{ length: { atLeast: 1 } }, ["a", [1]], ["", []]],
  [{ every: { atLeast: 1 } }, [[1, 2]], [[1, 0], 3]],
  [{ some: 2 }, [[1, 2]], [[1], [], 2]],
  [{ absent: true }, [undefined], [null, 0]],
  [{ sum: [0.1, 0.2] }, [0.3], [0.30000000000000004]],
  [{ sum: [{ ref: "first.revenue_credited_inr" }, 0.000001] }, [0.100001], [0.1]],
  [{ equals: { atLeast: 2 } }, [{ atLeast: 2 }], [3, { atLeast: 2, more: 1 }]],
  [{ ref: "first.impression_id" }, ["imp_1"], ["imp_2"]],
  [{ ref: "first.odd.0.1" }, [2], [1]],
  [{ header: "x-ratelimit-remaining", of: "first" }, ["7"], [7]],
  [{ numbered: "s-" }, ["s-3"], ["s-1"]],
  [[1, { atLeast: 2 }], [[1, 2]], [[1], [1, 1], [1, 2, 3], { 0: 1, 1: 2 }]],
  [
    { a: 1, b: { c: 2 } },
    [{ a: 1, b: { c: 2, d: 3 }, e: 4 }],
    [{ a: 1 }, { a: 1, b: 2 }, null, [1]],
  ],
  [{}, [{}, { a: 1 }], [null, [], 1]],
])("%j", (matcher, passing, failing) => {
  test.each(passing.map((actual) => ({ actual })))("passes for $actual", ({ actual }) => {
    expect(checksOf(matcher, actual)).toBe("passed");
  });
  test.each(failing.map((actual) => ({ actual })))("fails for $actual", ({ actual }) => {
    expect(checksOf(matcher, actual)).toBe("failed");
  });
});

test.each<[Matcher, actual: unknown]>([
  [{ every: 1 }, []],
  [{ not: { some: 1 } }, []],
  [{ not: 3 }, undefined],
  [{ length: { not: 3 } }, undefined],
  [{ ref: "gone.impression_id" }, "imp_1"],
  [{ ref: "first.click_id" }, undefined],
  [{ header: "retry-after", of: "first" }, undefined],
  [{ header: "constructor", of: "first" }, undefined],
  [{ not: { ref: "gone.x" } }, 1],
  [{ atLeast: { ref: "first.impression_id" } }, 1],
  [{ oneOf: [1, { ref: "gone.x" }] }, 2],
])("%j compared with %j is undecided", (matcher, actual) => {
  expect(checksOf(matcher, actual)).toBe("undecided");
});

test("inherited properties don't count as members", () => {
  expect(checksOf({ toString: { absent: true } }, {})).toBe("passed");
  expect(checksOf({ ref: "first.constructor" }, undefined)).toBe("undecided");
});

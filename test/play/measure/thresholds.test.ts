import { expect, test } from "vitest";
import { createTally } from "../../../src/play/measure/tally.ts";
import {
  judgeThreshold,
  type Measured,
  parseThreshold,
} from "../../../src/play/measure/thresholds.ts";

const nothing = createTally().summary();
const usual: Measured = {
  tally: {
    ...nothing,
    ...{ sent: 999, ok: 900, refused: 40, failed: 5, cut: 2, lost: 1, timedOut: 1, late: 3 },
    dropped: 1,
  },
  latency: { p50: 1, p90: 5, p95: 20, p99: 49.9, p999: 50, max: 250, mean: 2.5 },
  invariants: [{ result: "passed" }, { result: "undecided" }],
};
const tallied = (tally: object): Measured => ({ ...usual, tally: { ...nothing, ...tally } });
const bad = { result: "failed" } as const;
const late = tallied({ sent: 3500, late: 2171, dropped: 29 });
const empty: Measured = {
  ...{ tally: nothing, latency: undefined, invariants: [{ result: "undecided" }] },
};

test.each<[string, string, Measured?]>([
  ["p50 < 2ms", "passed: 1 ms"],
  ["p50 < 1ms", "failed: 1 ms"],
  ["p50 <= 1ms", "passed: 1 ms"],
  ["p99<50ms", "passed: 49.9 ms"],
  ["p999 < 50ms", "failed: 50 ms"],
  ["max <= 1s", "passed: 250 ms"],
  ["mean <= 2ms", "failed: 2.5 ms"],
  ["errors <= 1%", "passed: 1 % (10 of 1,000)"],
  ["errors = 1 %", "passed: 1 % (10 of 1,000)"],
  ["errors <= 0.999999%", "failed: 1 % (10 of 1,000)"],
  ["errors <= 10", "passed: 10"],
  ["refused < 4%", "failed: 4 % (40 of 1,000)"],
  ["late <= 0.3%", "passed: 0.3 % (3 of 1,000)"],
  ["dropped = 0", "failed: 1"],
  ["invariants = 0", "passed: 0 failed"],
  ["sent >= 1000", "failed: 999"],
  ["  sent = 999  ", "passed: 999"],
  // Neither side is a whole number in base 2.
  ["dropped < 0.000001%", "failed: 0 % (1 of 100,000,000)", tallied({ sent: 1e8 - 1, dropped: 1 })],
  [
    "dropped <= 0.000001%",
    "passed: 0 % (1 of 100,000,000)",
    tallied({ sent: 1e8 - 1, dropped: 1 }),
  ],
  ["errors < 1%", "failed: 100 % (5 of 5)", { ...empty, ...tallied({ dropped: 5 }) }],
  ["invariants = 0", "failed: 2 failed", { ...usual, invariants: [bad, bad] }],
  ["invariants = 0", "undecided: no invariant could be judged", empty],
  ["p99 < 1s", "undecided: no requests", empty],
  ["errors = 0", "undecided: no requests", empty],
  // One request in a hundred may be late.
  ["p99 < 1s", "passed: 49.9 ms", tallied({ sent: 3500, late: 6, dropped: 29 })],
  [
    "p99 < 1ms",
    "undecided: 49.9 ms, but 2,200 of 3,529 requests were sent late or never: latencies are the load generator's own",
    late,
  ],
  ["late <= 2171", "passed: 2,171", late],
  ["max > 250ms", "failed: 250 ms"],
  ["errors >= 1%", "passed: 1 % (10 of 1,000)"],
])("%s is %s", (text, expected, measured = usual) => {
  const { threshold, result, found } = judgeThreshold(parseThreshold(text), measured);
  expect([threshold, `${result}: ${found}`]).toEqual([text, expected]);
});

const key = `key_${"5".repeat(16)}`;
test.each([
  ["", "must begin with p50, p90, p95, p99, p999, max, mean, errors"],
  ["p99", 'must compare p99 by <, <=, =, >= or >, as in "p99 < 50ms"'],
  ["p99 < 50ms and p50 < 1ms", 'as in "p99 < 50ms"'],
  ["error < 1%", 'Did you mean "errors"?'],
  ["constructor < 1", "must begin with"],
  ["p99 == 50ms", 'as in "p99 < 50ms"'],
  ["p99 < 50", 'as in "p99 < 50ms"'],
  ["p99 < 0.5ms", 'as in "p99 < 50ms"'],
  ["errors < 0.1234567%", 'as in "errors < 0.1%"'],
  ["sent >= 10%", 'as in "sent >= 1000"'],
  ["invariants = none", 'must compare invariants by <, <=, =, >= or >, as in "invariants = 0"'],
  [`${key} < 1`, "must begin with"],
  [`errors < ${key}`, 'as in "errors < 0.1%"'],
])("%j is refused: %s", (text, message) => {
  const error = expect.objectContaining({
    name: "InputError",
    message: expect.stringContaining(message),
  });
  expect(() => parseThreshold(text)).toThrow(error);
  // What was sent may be a key.
  expect(() => parseThreshold(text)).not.toThrow(key);
});

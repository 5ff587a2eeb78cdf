import { describe, expect, test } from "vitest";
import { createTally, type TallySummary } from "../../../src/play/measure/tally.ts";
import {
  judgeThreshold,
  type Measured,
  parseThreshold,
} from "../../../src/play/measure/thresholds.ts";

const nothing = createTally().summary();
const tally: TallySummary = {
  ...nothing,
  ...{ sent: 999, ok: 900, refused: 40, failed: 5, cut: 2, lost: 1, timedOut: 1, late: 3 },
  dropped: 1,
};
const latency = { p50: 1, p90: 5, p95: 20, p99: 49.9, p999: 50, max: 250, mean: 2.5 };

function judged(text: string, measured: Partial<Measured> = {}): string {
  const { threshold, result, found } = judgeThreshold(parseThreshold(text), {
    ...{ tally, latency, brokenInvariants: 0 },
    ...measured,
  });
  expect(threshold).toBe(text);
  return `${result}: ${found}`;
}

describe("a threshold is judged by the run's figures", () => {
  test.each([
    ["p50 < 2ms", "passed: 1 ms"],
    ["p50 < 1ms", "failed: 1 ms"],
    ["p50 <= 1ms", "passed: 1 ms"],
    ["p90 < 5ms", "failed: 5 ms"],
    ["p95 < 21ms", "passed: 20 ms"],
    ["p99<50ms", "passed: 49.9 ms"],
    ["p999 < 50ms", "failed: 50 ms"],
    ["max <= 1s", "passed: 250 ms"],
    ["mean <= 2ms", "failed: 2.5 ms"],
    ["errors <= 1%", "passed: 1 % (10 of 1,000)"],
    ["errors < 1%", "failed: 1 % (10 of 1,000)"],
    ["errors = 1 %", "passed: 1 % (10 of 1,000)"],
    ["errors < 1.000001%", "passed: 1 % (10 of 1,000)"],
    ["errors <= 0.999999%", "failed: 1 % (10 of 1,000)"],
    ["errors <= 10", "passed: 10"],
    ["errors = 0", "failed: 10"],
    ["refused < 4%", "failed: 4 % (40 of 1,000)"],
    ["refused < 41", "passed: 40"],
    ["late <= 0.3%", "passed: 0.3 % (3 of 1,000)"],
    ["late = 0", "failed: 3"],
    ["dropped = 0", "failed: 1"],
    ["dropped < 2", "passed: 1"],
    ["invariants = 0", "passed: 0 failed"],
    ["sent >= 999", "passed: 999"],
    ["sent >= 1000", "failed: 999"],
    ["sent > 999", "failed: 999"],
    ["  sent = 999  ", "passed: 999"],
  ])("%s", (text, expected) => {
    expect(judged(text)).toBe(expected);
  });

  test("shares are compared exactly, not as fractions in base 2", () => {
    const of = (dropped: number, sent: number): Partial<Measured> => ({
      tally: { ...nothing, sent, dropped },
    });
    expect(judged("dropped <= 0.1%", of(1, 999))).toMatch("passed");
    expect(judged("dropped < 0.3%", of(3, 997))).toMatch("failed");
    expect(judged("dropped <= 0.000001%", of(1, 99_999_999))).toMatch("passed");
    expect(judged("dropped < 0.000001%", of(1, 99_999_999))).toMatch("failed");
  });

  test("failed invariants fail it, and undecided ones leave it undecided", () => {
    expect(judged("invariants = 0", { brokenInvariants: 2 })).toBe("failed: 2 failed");
    expect(judged("invariants = 0", { brokenInvariants: undefined })).toMatch("undecided");
  });

  test("latencies are undecided if more than one request in a hundred was late or never sent", () => {
    const sent = (late: number): Partial<Measured> => ({
      tally: { ...nothing, sent: 3500, late, dropped: 29 },
    });
    expect(judged("p99 < 1s", sent(6))).toBe("passed: 49.9 ms");
    for (const text of ["p99 < 1s", "p99 < 1ms", "mean < 1ms"]) {
      expect(judged(text, sent(2171))).toMatch(
        /^undecided: .* ms, but 2,200 of 3,529 requests were sent late or never: latencies are the load generator's own$/,
      );
    }
    expect(judged("late <= 2171", sent(2171))).toMatch("passed");
  });

  test.each(["p99 < 1s", "errors = 0", "refused < 1%", "sent >= 1"])(
    "a run without requests leaves it undecided: %s",
    (text) => {
      expect(judged(text, { tally: nothing, latency: undefined })).toBe("undecided: no requests");
    },
  );

  test("if all requests were dropped, all are errors and latencies are undecided", () => {
    const dropped = { tally: { ...nothing, dropped: 5 }, latency: undefined };
    expect(judged("errors < 1%", dropped)).toBe("failed: 100 % (5 of 5)");
    expect(judged("p99 < 1s", dropped)).toBe("undecided: no requests");
  });
});

describe("an invalid threshold is refused with a hint", () => {
  test.each([
    ["", 'such as "p99 < 50ms"'],
    ["p99", 'such as "p99 < 50ms"'],
    ["p99 < 50ms and p50 < 1ms", 'such as "p99 < 50ms"'],
    ["p94 < 50ms", "must begin with p50, p90, p95, p99, p999, max, mean, errors"],
    ["error < 1%", "Did you mean errors?"],
    ["P99 < 50ms", "Did you mean p99?"],
    ["constructor < 1", "must begin with"],
    ["p99 = 50ms", 'must compare p99 as in "p99 < 50ms" or "p99 <= 50ms"'],
    ["p99 == 50ms", '"p99 < 50ms" or "p99 <= 50ms"'],
    ["errors > 1%", '"errors = 0.1%"'],
    ["p99 < 50", "a duration in whole units"],
    ["p99 < 0.5", "a duration in whole units"],
    ["p99 < 0.5ms", "a duration in whole units"],
    ["p99 < 50us", "a duration in whole units"],
    ["p99 < 999999999999999d", "a duration in whole units"],
    ["p99 < 0ms", 'Write "p99 <= 0ms"'],
    ["errors < 0%", 'Write "errors = 0%"'],
    ["errors < 101%", "at most 100%"],
    ["errors < 100.1%", "at most 100%"],
    ["errors < 0.1234567%", "six decimals"],
    ["errors < 0.1", 'such as "0.1%"'],
    ["sent >= 10%", "a whole number"],
    ["sent >= 1e5", "a whole number"],
    ["sent < 10", '"sent >= 1000"'],
    ["invariants = 1", "none may fail"],
    ["invariants <= 0", '"invariants = 0"'],
  ])("%j", (text, message) => {
    expect(() => parseThreshold(text)).toThrow(
      expect.objectContaining({ name: "InputError", message: expect.stringContaining(message) }),
    );
  });

  test("an error repeats nothing of what might be a key", () => {
    const key = `key_${"5".repeat(16)}`;
    for (const text of [key, `${key} < 1`, `p99 < ${key}`, `errors < ${key}`]) {
      expect(() => parseThreshold(text)).toThrow(
        expect.objectContaining({ message: expect.not.stringContaining("key_") }),
      );
    }
  });
});

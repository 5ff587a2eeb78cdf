/** The headline of a play: the first thing that isn't as expected, as a sentence. */

import { describe, expect, test } from "vitest";
import { concludeAgain } from "../../../src/play/player/conclude.ts";
import type { Check } from "../../../src/play/player/result.ts";
import { playResult, stepResult } from "../reports/play-results.ts";

const broken = { result: "failed", found: "body.ok is false, not true" } as const;

function headlineOf(check: Check): string {
  const path = "expectations.1";
  const step = stepResult({ path, kind: "expect", result: "failed", checks: [check] });
  return concludeAgain(playResult({ steps: [step] })).why;
}

describe("the headline", () => {
  test("of an expectation has what was expected and what was found", () => {
    const check: Check = { ...broken, about: "stats.clicks", expected: "1", found: "2" };
    expect(headlineOf(check)).toBe("stats.clicks: expected 1, found 2 (expectations.1)");
  });

  test("of an invariant that a step expects says what is wrong", () => {
    const says = "Every success matches its schema";
    const check: Check = { ...broken, about: "invariant H1", invariant: "H1", expected: says };
    expect(headlineOf(check)).toBe("H1: body.ok is false, not true (expectations.1)");
  });

  test("of a threshold has the figure", () => {
    const threshold = { threshold: "p99 < 50ms", result: "failed", found: "61 ms" } as const;
    const { why } = concludeAgain(playResult({ thresholds: [threshold] }));
    expect(why).toBe("p99 < 50ms: found 61 ms");
  });

  test("of an invariant that every play checks says the same", () => {
    const invariants = [
      { id: "H1", says: "Every success matches its schema", result: "failed", why: broken.found },
      { id: "M1", says: "Money adds up", result: "failed", why: "2.5 INR credited, 2 on record" },
    ] as const;
    const { result, why } = concludeAgain(playResult({ invariants }));
    expect(result).toBe("failed");
    expect(why).toBe("H1: body.ok is false, not true, and 1 more");
  });
});

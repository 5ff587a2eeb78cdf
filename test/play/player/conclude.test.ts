/** The headline of a play: the first thing that isn't as expected, as a sentence. */

import { expect, test } from "vitest";
import { concludeAgain } from "../../../src/play/player/conclude.ts";
import type { PlayResult } from "../../../src/play/player/result.ts";
import { playResult, stepResult } from "../reports/play-results.ts";

const broken = { result: "failed", found: "body.ok is false, not true" } as const;
const says = "Every success matches its schema";
const failedStep = (check: object): Partial<PlayResult> => ({
  steps: [
    stepResult({
      path: "steps.1",
      result: "failed",
      checks: [{ ...broken, expected: "1", about: "stats.clicks", ...check }],
    }),
  ],
});

test.each<[why: string, Partial<PlayResult>]>([
  ["stats.clicks: expected 1, found 2 (steps.1)", failedStep({ found: "2" })],
  [
    "H1: body.ok is false, not true (steps.1)",
    failedStep({ about: "invariant H1", invariant: "H1", expected: says }),
  ],
  [
    "p99 < 50ms: 61 ms",
    { thresholds: [{ threshold: "p99 < 50ms", result: "failed", found: "61 ms" }] },
  ],
  [
    "H1: body.ok is false, not true, and 1 more",
    {
      invariants: [
        { id: "H1", says, result: "failed", why: broken.found },
        { id: "M1", says: "Money adds up", result: "failed", why: "2.5 INR credited, 2 on record" },
      ],
    },
  ],
])("%s", (why, parts) => {
  expect(concludeAgain(playResult(parts))).toMatchObject({ result: "failed", why });
});

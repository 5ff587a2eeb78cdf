/** Durations as users write them. */

import { expect, test } from "vitest";
import { durationMs } from "../../src/base/duration.ts";
import { InputError } from "../../src/index.ts";

test.each([
  [0, 0],
  [1500, 1500],
  ["0s", 0],
  ["250ms", 250],
  ["90s", 90_000],
  ["15m", 900_000],
  ["36h", 129_600_000],
  ["30d", 2_592_000_000],
] as const)("%j is %i ms", (duration, ms) => {
  expect(durationMs(duration)).toBe(ms);
});

test.each([
  ...[-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53],
  ...["", "1", "s", "-1s", "1.5h", "1 m", "1M", "1w", "1m30s", "١s", "999999999999999d"],
])("%j is refused, and the message shows how to write one", (duration) => {
  expect(() => durationMs(duration)).toThrow(InputError);
  expect(() => durationMs(duration)).toThrow(/"90s"/);
});

/** Time that passes for a client that looks at something again and again: a year of it is over at once. */

import { expect, test } from "vitest";
import { createClock } from "../../../src/base/clock.ts";
import { createVirtualTime } from "../../../src/testing/time/virtual-time.ts";

const YEAR_MS = 365 * 86_400_000;

test("a client that ticks each second sees a year pass, and goes on ticking", async () => {
  const clock = createClock("frozen", 0, undefined);
  const { timers, pass } = createVirtualTime({ clock });
  const ticksMs: number[] = [];
  const tick = (): void => {
    ticksMs.push(timers.now());
    timers.setTimeout(tick, 1000);
  };
  timers.setTimeout(tick, 1000);
  timers.setTimeout(() => ticksMs.push(-1), YEAR_MS / 2);

  await pass(3000);
  expect(ticksMs).toEqual([1000, 2000, 3000]);
  await pass(YEAR_MS);
  // What was due in the meantime came late, but it came.
  expect(ticksMs.slice(-2)).toEqual([YEAR_MS + 3000, -1]);
  await pass(2000);
  expect(ticksMs.slice(-2)).toEqual([YEAR_MS + 4000, YEAR_MS + 5000]);
});

test("what the machine does for a client, which no timer tells of, is waited for", async () => {
  const clock = createClock("frozen", 0, undefined);
  const { until } = createVirtualTime({ clock });
  const turns = async (): Promise<void> => {
    for (let left = 40; left > 0; left -= 1) await new Promise((resolve) => setImmediate(resolve));
  };

  expect(await until(turns())).toEqual({ kind: "over" });
  expect(await until(new Promise(() => undefined))).toEqual({ kind: "stuck" });
  expect(clock.now()).toBe(0);
});

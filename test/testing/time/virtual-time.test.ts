/** Time that passes for a client: a year of ticks is over at once, and background work of the machine is waited for. */

import { expect, test } from "vitest";
import { createClock } from "../../../src/base/clock.ts";
import { pause } from "../../../src/testing/time/time.ts";
import { createVirtualTime } from "../../../src/testing/time/virtual-time.ts";
import { type CreateDriver, runSession } from "../../../src/testing.ts";
import { createPlainDriver } from "../plain-driver.ts";

/**
 * Background work that the world can't see. It takes turns of the event loop, not time, so that a busy
 * machine changes nothing: more than a world without patience waits for.
 */
async function digest(): Promise<void> {
  for (let turns = 40; turns > 0; turns -= 1) await new Promise((resolve) => setImmediate(resolve));
}

/** A client that gives a request up after a second without an answer. */
const digesting: CreateDriver = (context) => {
  const noAnswer = (): never => {
    throw new Error("no answer");
  };
  return createPlainDriver({
    ...context,
    fetch: (...given) =>
      Promise.race([
        digest().then(() => context.fetch(...given)),
        pause(context.timers, 1000).then(noAnswer),
      ]),
  });
};

test("a client with background work fails needlessly without patience, and not with some", async () => {
  for (const [patienceMs, outcome] of [
    [0, "failed"],
    [500, "done"],
  ] as const) {
    const commands = [{ kind: "impression", surface: 0 }] as const;
    const { calls } = await runSession(digesting, commands, { patienceMs });
    expect(calls[1]?.outcome.kind).toBe(outcome);
  }
});

function onThrow(error: unknown): never {
  throw error;
}

test("finished work isn't waited for, and a client that only ticks isn't waited for forever", async () => {
  const clock = createClock("frozen", 0, undefined);
  const patient = createVirtualTime({ clock, onThrow, patienceMs: 10_000 });
  const tooLong = new Promise((resolve) => {
    setTimeout(resolve, 8000, "too long").unref();
  });
  expect(await Promise.race([patient.until(digest()), tooLong])).toEqual({ kind: "over" });

  const { timers, until } = createVirtualTime({ clock, onThrow, patienceMs: 20 });
  let ticks = 0;
  const tick = (): void => {
    ticks += 1;
    timers.setTimeout(tick, 6000);
  };
  tick();
  // With 20 ms at each tick it would be more than a minute.
  expect(await until(new Promise(() => undefined))).toEqual({ kind: "endless" });
  expect(ticks).toBeGreaterThan(3000);
});

const YEAR_MS = 365 * 86_400_000;

test("a client that ticks each second sees a year pass, and goes on ticking", async () => {
  const clock = createClock("frozen", 0, undefined);
  const { timers, pass } = createVirtualTime({ clock, onThrow });
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

test("background work without a timer is waited for, and one that never ends is stuck", async () => {
  const clock = createClock("frozen", 0, undefined);
  const { until } = createVirtualTime({ clock, onThrow });
  expect(await until(digest())).toEqual({ kind: "over" });
  expect(await until(new Promise(() => undefined))).toEqual({ kind: "stuck" });
  expect(clock.now()).toBe(0);
});

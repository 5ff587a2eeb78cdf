/** How a world and its pages share time, without a browser. With one: test/browser. */

import { expect, test, vi } from "vitest";
import { createSharedClock, type SharedClock } from "../../src/adapters/playwright/shared-clock.ts";
import { createSimulator } from "../../src/index.ts";

const START_MS = Date.parse("2026-01-15T00:00:00Z");
const HOUR_MS = 3_600_000;

/** Takes down what the pages' clock is asked to do. */
function recorded(): {
  readonly calls: (readonly [string, unknown])[];
  readonly pages: Parameters<SharedClock["share"]>[0];
} {
  const calls: (readonly [string, unknown])[] = [];
  const note = (name: string) => async (argument?: unknown) => {
    calls.push([name, argument]);
  };
  const names = ["install", "pauseAt", "runFor", "fastForward", "resume"] as const;
  const noted = Object.fromEntries(names.map((name) => [name, note(name)]));
  const pages = { ...noted, setFixedTime: note("setFixedTime"), setSystemTime: note("set") };
  return { calls, pages: pages as unknown as ReturnType<typeof recorded>["pages"] };
}

test("the pages' clock stops at the world's time, and moves with it in steps", async () => {
  const sim = createSimulator();
  const { calls, pages } = recorded();
  const advance = await createSharedClock(sim).share(pages);
  expect(calls.splice(0)).toEqual([
    ["install", { time: START_MS - HOUR_MS }],
    ["pauseAt", START_MS],
  ]);
  expect(await advance("10s")).toBe(START_MS + 10_000);
  expect(sim.clock.now()).toBe(START_MS + 10_000);
  const waited = ["runFor", 0];
  expect(calls.splice(0)).toEqual([waited, ...Array(10).fill(["runFor", 1000])]);
  await advance(0);
  expect(calls.splice(0)).toEqual([waited]);
  await advance("20h");
  const step = [
    ["fastForward", HOUR_MS],
    ["runFor", HOUR_MS],
  ];
  expect(calls).toEqual([waited, ...Array(10).fill(step).flat()]);
});

test("timers are the machine's before, and the world's afterwards", async () => {
  const sim = createSimulator();
  const clock = createSharedClock(sim);
  await new Promise<void>((resolve) => void clock.timers.setTimeout(resolve, 1));
  const early = clock.timers.setTimeout(() => fired.push("stopped"), 5);
  const fired: unknown[] = [];
  const advance = await clock.share(recorded().pages);
  const fire = (name: string) => (): unknown => fired.push([name, sim.clock.now() - START_MS]);
  clock.timers.setTimeout(fire("third"), 3000);
  clock.timers.setTimeout(fire("first"), 1000);
  clock.timers.setTimeout(() => {
    fire("second")();
    clock.timers.setTimeout(fire("fourth"), 2500);
  }, 1000.5);
  const stopped = clock.timers.setTimeout(fire("stopped"), 1000);
  for (const timer of [early, stopped]) clock.timers.clearTimeout(timer);
  await advance("3s");
  expect(fired).toEqual([
    ["first", 1000],
    ["second", 1001],
    ["third", 3000],
  ]);
  await advance("1m");
  expect(fired[3]).toEqual(["fourth", 3501]);
});

test("after a timer of a page threw, time moves on", async () => {
  const { pages } = recorded();
  const advance = await createSharedClock(createSimulator()).share(pages);
  vi.spyOn(pages, "runFor").mockRejectedValueOnce(new Error("the timer's own error"));
  await expect(advance("1s")).rejects.toThrow("the timer's own error");
  expect(await advance("1s")).toBe(START_MS + 1000);
});

test("time moves under a test's fake timers", async () => {
  vi.useFakeTimers();
  try {
    const clock = createSharedClock(createSimulator());
    const advance = await clock.share(recorded().pages);
    const run = vi.fn();
    clock.timers.setTimeout(run, 500);
    expect(await advance("1s")).toBe(START_MS + 1000);
    expect(run).toHaveBeenCalled();
  } finally {
    vi.useRealTimers();
  }
});

test("a world whose clock runs is refused", async () => {
  const sim = createSimulator({ clock: "flowing", wallClock: Date.now });
  const { calls, pages } = recorded();
  await expect(createSharedClock(sim).share(pages)).rejects.toThrow(
    'simOptions.clock must be "frozen" in a test that uses `advance`.',
  );
  expect(calls).toEqual([]);
});

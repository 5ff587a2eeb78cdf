/** A client that takes fetch, clock and timers from the machine's globals, in a world that has replaced them. */

import { describe, expect, test } from "vitest";
import { DAY_MS } from "../../../src/base/duration.ts";
import type { Driver, DriverContext, Shown } from "../../../src/testing/driver/driver.ts";
import { openTestWorld } from "../../../src/testing/driver/test-world.ts";
import type { Command } from "../../../src/testing/session/command.ts";
import { runSession } from "../../../src/testing/session/run-session.ts";
import { createPlainDriver } from "../plain-driver.ts";

function current() {
  const { fetch, setTimeout, clearTimeout, setInterval, clearInterval } = globalThis;
  const timers = { setTimeout, clearTimeout, setInterval, clearInterval };
  const { now } = performance;
  const { timeout } = AbortSignal;
  const { getRandomValues, randomUUID } = crypto;
  const ownOfCrypto = Object.keys(Object.getOwnPropertyDescriptors(crypto));
  const random = { random: Math.random, getRandomValues, randomUUID, ownOfCrypto };
  return { fetch, Date: globalThis.Date, ...timers, now, timeout, ...random };
}
const real = current();
const replaced = { globals: "replaced", publishers: 1 } as const;

/** Queues ad views, sends them every five seconds, and gives up on an answer after two. */
function queueing(context: DriverContext): Driver {
  const plain = createPlainDriver({
    ...context,
    fetch: (to, init) => fetch(to, { ...init, signal: AbortSignal.timeout(2000) }),
  });
  const queue: Shown[] = [];
  const times: string[] = [];
  async function deliver(): Promise<void> {
    for (const shown of queue.splice(0)) {
      times.push(new Date().toISOString());
      await Promise.resolve(plain.impression(shown)).catch(() => queue.push(shown));
    }
  }
  const timer = setInterval(deliver, 5000);
  return {
    impression: (shown) => queue.push(shown),
    flush: deliver,
    stats: async () => ({ times, now: Date.now(), ticks: performance.now() }),
    close: () => clearInterval(timer),
  };
}

/** What a client notes in so much time that only does this when it is made. */
async function notedIn(ms: number, act: (note: (what: unknown) => number) => void) {
  const noted: unknown[] = [];
  const driver = (): Driver => {
    act((what) => noted.push(what));
    return { impression: () => undefined };
  };
  await runSession(driver, [{ kind: "advance", byMs: ms }], replaced);
  return noted;
}

const adView: Command = { kind: "impression", surface: 0 };

describe("with the globals replaced", () => {
  test("a client's own timers, clock and time-outs go by the world's time", async () => {
    const silence: Command = {
      kind: "fault",
      rule: { match: { times: 1 }, verdict: { kind: "timeout" } },
    };
    const session = await runSession(
      queueing,
      [adView, silence, { kind: "advance", byMs: 12_000 }, { kind: "stats" }],
      replaced,
    );
    const { startMs } = session.world;
    // Sent at the fifth second, given up two seconds later, sent again at the tenth.
    expect(session.requests.map(({ atMs }) => atMs - startMs)).toEqual([5000, 10_000]);
    expect(session.requests.map(({ got }) => got.status)).toEqual([0, 200]);
    const stats = session.calls.find(({ command }) => command.kind === "stats");
    expect(stats?.outcome).toMatchObject({
      kind: "done",
      value: {
        times: ["2026-01-15T00:00:05.000Z", "2026-01-15T00:00:10.000Z"],
        now: startMs + 12_000,
        ticks: 12_000,
      },
    });
    expect(current()).toEqual(real);
  });

  test("an interval ends once it is cleared, even by its own callback, and passes arguments on", async () => {
    const noted = await notedIn(10_000, (note) => {
      const count = (...given: unknown[]): void => {
        if (note(given) === 2) clearInterval(timer);
      };
      const timer = setInterval(count, 1000, "a", 1);
    });
    expect(noted).toEqual(Array(2).fill(["a", 1]));
  });

  test("a date is still a Date, and one made from arguments is the usual one", async () => {
    const noted = await notedIn(0, (note) => {
      class Later extends Date {}
      const now = new Date();
      note([now instanceof Date, now instanceof real.Date, new Later() instanceof Later]);
      note([new Date(2024, 0, 1).getFullYear(), Date.UTC(2024, 0, 1), typeof Date()]);
      note(new Date("2024-02-29T00:00:00Z").toISOString());
    });
    const ofUtc = real.Date.UTC(2024, 0, 1);
    expect(noted).toEqual([
      [true, true, true],
      [2024, ofUtc, "string"],
      "2024-02-29T00:00:00.000Z",
    ]);
  });

  test("a timer has the methods of Node's timers, and is cleared by its number", async () => {
    const noted = await notedIn(3000, (note) => {
      const gone = setTimeout(() => note("gone"), 1000);
      clearTimeout(Number(gone));
      clearTimeout(undefined);
      const again = setTimeout(() => note(new Date().toISOString()), 1000);
      setTimeout(() => again.refresh(), 600);
      note([again.hasRef(), again.unref().hasRef()]);
    });
    expect(noted).toEqual([[true, false], "2026-01-15T00:00:01.600Z"]);
  });

  test("a timer for more than 2 ** 31 - 1 ms fires at once, as in Node", async () => {
    const longest = 2 ** 31 - 1;
    const noted = await notedIn(30 * DAY_MS, (note) => {
      const startMs = Date.now();
      for (const waitMs of [longest, longest + 1, Number.NaN])
        setTimeout(() => note([waitMs, Date.now() - startMs]), waitMs);
    });
    expect(noted).toEqual([
      [longest + 1, 1],
      [Number.NaN, 1],
      [longest, longest],
    ]);
  });

  test("of the timers that a closed client has left, those count that keep a process alive", async () => {
    const leaving = (leave: () => void) => () => ({ impression: () => undefined, close: leave });
    const left = async (leave: () => void): Promise<number[]> => {
      const { timersLeft, world } = await runSession(leaving(leave), [adView], replaced);
      return timersLeft.map((atMs) => atMs - world.startMs);
    };
    const unref = (): NodeJS.Timeout => setTimeout(() => {}, 5000).unref();
    const cases: readonly (readonly [() => void, number[]])[] = [
      [() => setTimeout(() => {}, 5000), [5000]],
      [() => setInterval(() => {}, 600), [1200]],
      [() => unref().ref(), [5000]],
      [() => unref().refresh(), []],
      [() => setTimeout(() => {}, 900), []],
      [() => AbortSignal.timeout(5000), []],
      [() => clearTimeout(setTimeout(() => {}, 5000)), []],
    ];
    for (const [leave, expected] of cases) expect(await left(leave), `${leave}`).toEqual(expected);
  });

  test("only one world at a time can replace them", async () => {
    const world = await openTestWorld(replaced);
    await expect(openTestWorld(replaced)).rejects.toThrow("one after the other");
    await world.close();
    const next = await openTestWorld(replaced);
    await next.close();
    expect(current()).toEqual(real);
  });

  test("they are restored if a session ends early", async () => {
    const wrong = { kind: "fault", rule: { verdict: { kind: "nonsense" } } } as unknown as Command;
    await expect(runSession(queueing, [wrong], replaced)).rejects.toThrow("verdict");
    expect(current()).toEqual(real);
  });
});

describe("the randomness of a client that uses the globals", () => {
  /** What is drawn in a world with this seed. */
  async function drawnIn(seed: string | undefined, draw: () => unknown): Promise<unknown> {
    const world = await openTestWorld({ ...replaced, seed });
    try {
      return draw();
    } finally {
      await world.close();
    }
  }

  test("comes from the world's seed, and is the machine's own again afterwards", async () => {
    const draw = (): unknown => [
      Math.random(),
      crypto.randomUUID(),
      Array.from(crypto.getRandomValues(new Uint8Array(8))),
      globalThis.crypto.randomUUID(),
    ];
    const first = await drawnIn("a", draw);
    expect(await drawnIn("a", draw)).toEqual(first);
    expect(await drawnIn("b", draw)).not.toEqual(first);
    expect(await drawnIn(undefined, draw)).toEqual(await drawnIn("adsim", draw));
    expect(draw()).not.toEqual(draw());
  });

  test("is spread evenly; UUIDs have version 4, and only the part of a buffer that a view covers is filled", async () => {
    await drawnIn("a", () => {
      const bytes = new Uint8Array(96);
      const view = new BigInt64Array(bytes.buffer, 16, 4);
      expect(crypto.getRandomValues(view)).toBe(view);
      expect(new Set(bytes.slice(16, 48)).size).toBeGreaterThan(20);
      expect([...bytes.slice(0, 16), ...bytes.slice(48)].every((byte) => byte === 0)).toBe(true);
      const uuids = Array.from({ length: 100 }, () => crypto.randomUUID());
      const form = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
      expect(uuids.filter((one) => !form.test(one))).toEqual([]);
      const numbers = Array.from({ length: 10_000 }, () => Math.random());
      expect(new Set([...uuids, ...numbers]).size).toBe(10_100);
      for (let tenth = 0; tenth < 10; tenth += 1) {
        const within = numbers.filter((one) => Math.floor(one * 10) === tenth).length;
        expect(Math.abs(within - 1000), `in the tenth from ${tenth / 10}`).toBeLessThan(100);
      }
    });
  });
});

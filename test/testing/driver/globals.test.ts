/** A client that takes fetch, clock and timers from the machine's globals, in a world that has replaced them. */

import { describe, expect, test } from "vitest";
import { DAY_MS } from "../../../src/base/duration.ts";
import type { Driver, DriverContext } from "../../../src/testing/driver/driver.ts";
import { openTestWorld } from "../../../src/testing/driver/test-world.ts";
import type { Command } from "../../../src/testing/session/command.ts";
import { runSession } from "../../../src/testing/session/run-session.ts";

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
function queueing({ baseUrl, apiKey, publisherId }: DriverContext): Driver {
  const queue: object[] = [];
  const times: string[] = [];
  async function deliver(): Promise<void> {
    for (const body of queue.splice(0)) {
      times.push(new Date().toISOString());
      await fetch(`${baseUrl}/v1/impression`, {
        method: "POST",
        headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(2000),
      }).catch(() => queue.push(body));
    }
  }
  const timer = setInterval(deliver, 5000);
  return {
    impression({ surface, ad, session }) {
      queue.push({ publisher_id: publisherId, surface, ad_id: ad, session_id: session });
    },
    flush: deliver,
    stats: async () => ({ times, now: Date.now(), ticks: performance.now() }),
    close: () => clearInterval(timer),
  };
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
    const seen: unknown[] = [];
    await runSession(
      () => {
        const timer = setInterval(
          (...given: unknown[]) => {
            seen.push(given);
            if (seen.length === 2) clearInterval(timer);
          },
          1000,
          "a",
          1,
        );
        return { impression: () => undefined };
      },
      [{ kind: "advance", byMs: 10_000 }],
      replaced,
    );
    expect(seen).toEqual([
      ["a", 1],
      ["a", 1],
    ]);
  });

  test("a date is still a Date, and one made from arguments is the usual one", async () => {
    const seen: unknown[] = [];
    await runSession(
      () => {
        const now = new Date();
        class Later extends Date {}
        seen.push(now instanceof Date, now instanceof real.Date, new Later() instanceof Later);
        seen.push(new Date(2024, 0, 1).getFullYear(), Date.UTC(2024, 0, 1), typeof Date());
        seen.push(new Date("2024-02-29T00:00:00Z").toISOString());
        return { impression: () => undefined };
      },
      [],
      replaced,
    );
    const ofUtc = real.Date.UTC(2024, 0, 1);
    expect(seen).toEqual([true, true, true, 2024, ofUtc, "string", "2024-02-29T00:00:00.000Z"]);
  });

  test("a timer has the methods of Node's timers, and is cleared by its number", async () => {
    const seen: string[] = [];
    await runSession(
      () => {
        const gone = setTimeout(() => seen.push("gone"), 1000);
        clearTimeout(Number(gone));
        clearTimeout(undefined);
        const again = setTimeout(() => seen.push(new Date().toISOString()), 1000);
        setTimeout(() => again.refresh(), 600);
        seen.push(String(again.hasRef()), String(again.unref().hasRef()));
        return { impression: () => undefined };
      },
      [{ kind: "advance", byMs: 3000 }],
      replaced,
    );
    expect(seen).toEqual(["true", "false", "2026-01-15T00:00:01.600Z"]);
  });

  test("a timer for more than 2 ** 31 - 1 ms fires at once, as in Node", async () => {
    const seen: [waitMs: number, afterMs: number][] = [];
    await runSession(
      () => {
        const startMs = Date.now();
        for (const waitMs of [2 ** 31 - 1, 2 ** 31, 30 * DAY_MS, Number.NaN]) {
          setTimeout(() => seen.push([waitMs, Date.now() - startMs]), waitMs);
        }
        return { impression: () => undefined };
      },
      [{ kind: "advance", byMs: 30 * DAY_MS }],
      replaced,
    );
    expect(seen).toEqual([
      [2 ** 31, 1],
      [30 * DAY_MS, 1],
      [Number.NaN, 1],
      [2 ** 31 - 1, 2 ** 31 - 1],
    ]);
  });

  test("of the timers that a closed client has left, those count that keep a process alive", async () => {
    const leaving = (leave: () => void) => () => ({ impression: () => undefined, close: leave });
    const left = async (leave: () => void): Promise<number[]> => {
      const { timersLeft, world } = await runSession(leaving(leave), [adView], replaced);
      return timersLeft.map((atMs) => atMs - world.startMs);
    };
    expect(await left(() => setTimeout(() => {}, 5000))).toEqual([5000]);
    expect(await left(() => setInterval(() => {}, 600))).toEqual([1200]);
    expect(
      await left(() =>
        setTimeout(() => {}, 5000)
          .unref()
          .ref(),
      ),
    ).toEqual([5000]);
    expect(
      await left(() =>
        setTimeout(() => {}, 5000)
          .unref()
          .refresh(),
      ),
    ).toEqual([]);
    expect(await left(() => setTimeout(() => {}, 900))).toEqual([]);
    expect(await left(() => AbortSignal.timeout(5000))).toEqual([]);
    expect(await left(() => clearTimeout(setTimeout(() => {}, 5000)))).toEqual([]);
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
  /** What a client draws in a world with this seed. */
  async function drawnIn(seed: string | undefined, draw: () => unknown): Promise<unknown> {
    let drawn: unknown;
    const driver = (): Driver => {
      drawn = draw();
      return { impression: () => undefined };
    };
    await runSession(driver, [], { ...replaced, seed });
    expect(current()).toEqual(real);
    return drawn;
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

  test("is spread evenly, and never repeats itself", async () => {
    const drawn = await drawnIn("a", () => Array.from({ length: 10_000 }, () => Math.random()));
    const numbers = drawn as number[];
    expect(new Set(numbers).size).toBe(10_000);
    expect(numbers.every((one) => one >= 0 && one < 1)).toBe(true);
    for (let tenth = 0; tenth < 10; tenth += 1) {
      const within = numbers.filter((one) => Math.floor(one * 10) === tenth).length;
      expect(within, `in the tenth from ${tenth / 10}`).toBeGreaterThan(900);
      expect(within, `in the tenth from ${tenth / 10}`).toBeLessThan(1100);
    }
    // The lowest of its 53 bits are random, too.
    expect(numbers.some((one) => (one * 2 ** 53) % 2 === 1)).toBe(true);
  });

  test("has UUIDs of version 4, all different", async () => {
    const drawn = await drawnIn("a", () => Array.from({ length: 1000 }, () => crypto.randomUUID()));
    const uuids = drawn as string[];
    const form = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
    expect(uuids.filter((one) => !form.test(one))).toEqual([]);
    expect(new Set(uuids).size).toBe(1000);
    expect(new Set(uuids.map((one) => one[19])).size).toBe(4);
  });

  test("fills every kind of integer array, only the part that the view covers, and returns the view", async () => {
    const views = [
      Int8Array,
      Uint8Array,
      Uint8ClampedArray,
      Int16Array,
      Uint16Array,
      Int32Array,
      Uint32Array,
      BigInt64Array,
      BigUint64Array,
    ];
    await drawnIn("a", () => {
      for (const View of views) {
        const buffer = new ArrayBuffer(96);
        const view = new View(buffer, 16, 32 / View.BYTES_PER_ELEMENT);
        expect(crypto.getRandomValues(view), View.name).toBe(view);
        const bytes = Array.from(new Uint8Array(buffer));
        expect(new Set(bytes.slice(16, 48)).size, View.name).toBeGreaterThan(20);
        expect([...bytes.slice(0, 16), ...bytes.slice(48)].every((byte) => byte === 0)).toBe(true);
      }
      expect(crypto.getRandomValues(new Uint8Array(0))).toHaveLength(0);
      return undefined;
    });
  });

  test("refuses what the machine refuses, with the machine's errors", async () => {
    const { getRandomValues, randomUUID } = crypto;
    const wrong: readonly (() => unknown)[] = [
      () => crypto.getRandomValues(new Uint8Array(65_537)),
      () => crypto.getRandomValues(new Float64Array(1) as never),
      () => crypto.getRandomValues(new DataView(new ArrayBuffer(8)) as never),
      () => crypto.getRandomValues([] as never),
      () => Reflect.apply(crypto.getRandomValues, undefined, [new Uint8Array(1)]),
      () => Reflect.apply(crypto.randomUUID, undefined, []),
    ];
    const errorsOf = (): unknown[] =>
      wrong.map((call) => {
        try {
          return call();
        } catch (error) {
          return String(error);
        }
      });
    const own = errorsOf();
    expect(own[0]).toContain("QuotaExceededError");
    expect(own.every((one) => typeof one === "string")).toBe(true);
    const drawn = await drawnIn("a", () => {
      expect([crypto.getRandomValues, crypto.randomUUID]).not.toEqual([
        getRandomValues,
        randomUUID,
      ]);
      expect(crypto.getRandomValues(new Uint8Array(65_536))).toHaveLength(65_536);
      return errorsOf();
    });
    expect(drawn).toEqual(own);
  });

  test("has no methods of crypto that the machine lacks, as some browser environments do", async () => {
    const whole = Object.getOwnPropertyDescriptor(globalThis, "crypto");
    const draw = (): unknown => {
      const { crypto }: { crypto?: object } = globalThis;
      return [typeof Math.random(), crypto && Object.keys(crypto)];
    };
    try {
      for (const crypto of [undefined, {}, { getRandomValues: (view: unknown) => view }]) {
        Object.defineProperty(globalThis, "crypto", { value: crypto, configurable: true });
        let drawn: unknown;
        const driver = (): Driver => {
          drawn = draw();
          return { impression: () => undefined };
        };
        await runSession(driver, [], replaced);
        expect(drawn).toEqual(["number", crypto && Object.keys(crypto)]);
      }
    } finally {
      if (whole !== undefined) Object.defineProperty(globalThis, "crypto", whole);
    }
    expect(current()).toEqual(real);
  });

  test("is the machine's if the globals are kept", async () => {
    const { randomUUID } = crypto;
    await runSession(
      () => {
        expect(crypto.randomUUID).toBe(randomUUID);
        return { impression: () => undefined };
      },
      [],
      { publishers: 1 },
    );
  });
});

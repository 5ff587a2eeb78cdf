/** A client that takes fetch, clock and timers from the machine's globals, in a world that has replaced them. */

import { describe, expect, test } from "vitest";
import type { Driver, DriverContext } from "../../../src/testing/driver/driver.ts";
import { openTestWorld } from "../../../src/testing/driver/test-world.ts";
import type { Command } from "../../../src/testing/session/command.ts";
import { runSession } from "../../../src/testing/session/run-session.ts";

function current() {
  const { fetch, setTimeout, clearTimeout, setInterval, clearInterval } = globalThis;
  const timers = { setTimeout, clearTimeout, setInterval, clearInterval };
  const { now } = performance;
  const { timeout } = AbortSignal;
  return { fetch, Date: globalThis.Date, ...timers, now, timeout };
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
    const startMs = session.steps[0]?.atMs ?? 0;
    // Sent at the fifth second, given up two seconds later, sent again at the tenth.
    expect(session.exchanges.map(({ atMs }) => atMs - startMs)).toEqual([5000, 10_000]);
    expect(session.exchanges.map(({ got }) => got.status)).toEqual([0, 200]);
    const stats = session.steps.find(({ command }) => command.kind === "stats");
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

  test("of the timers that a closed client has left, those count that keep a process alive", async () => {
    const leaving = (leave: () => void) => () => ({ impression: () => undefined, close: leave });
    const left = async (leave: () => void): Promise<number[]> => {
      const { timersAfterClose, steps } = await runSession(leaving(leave), [adView], replaced);
      return timersAfterClose.map((atMs) => atMs - (steps[0]?.atMs ?? 0));
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

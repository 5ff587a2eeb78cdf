/**
 * A client under a test's fake timers, by every way to a simulator: the table of docs/fake-timers.md. Jest's rows are tried with
 * Jest itself, on the package.
 */

import { setImmediate as realTurn } from "node:timers/promises";
import { install } from "@sinonjs/fake-timers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createSimulator, type FaultRule, type Simulator } from "../../src/index.ts";
import { startServer } from "../../src/server.ts";
import { listeners } from "../msw-versions.ts";

interface Fakes {
  /** Moves their time; not necessary where it moves by itself. */
  advance?(ms: number): Promise<unknown>;
  remove(): void;
}

const inVitest = {
  advance: (ms: number) => vi.advanceTimersByTimeAsync(ms),
  remove: () => void vi.useRealTimers(),
};

/** What the documentation recommends for sinon. */
const sinonFakes = ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date"] as const;

const settings: Readonly<Record<string, () => Fakes>> = {
  "vitest, time moved by hand"() {
    vi.useFakeTimers();
    return inVitest;
  },
  "vitest, time moves by itself"() {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    return { remove: inVitest.remove };
  },
  "sinon, time moved by hand"() {
    const clock = install({ toFake: [...sinonFakes] });
    return { advance: (ms) => clock.tickAsync(ms), remove: () => clock.uninstall() };
  },
  "sinon, time moves by itself"() {
    const clock = install({ toFake: [...sinonFakes], shouldAdvanceTime: true });
    return { remove: () => clock.uninstall() };
  },
};

/** Where a client finds the simulator. */
interface Place {
  readonly baseUrl: string;
  readonly fetch: typeof globalThis.fetch;
  close(): void | Promise<void>;
}

function underMsw(version: keyof typeof listeners, sim: Simulator): Place {
  const baseUrl = "http://ads.test";
  const close = listeners[version](sim, baseUrl);
  return { baseUrl, fetch: globalThis.fetch, close };
}

interface Way {
  open(): Promise<Place & { readonly sim: Pick<Simulator, "faults" | "journal" | "publishers"> }>;
}

const inProcess = (place: (sim: Simulator) => Place): Way => ({
  open() {
    const sim = createSimulator({ publishers: 1 });
    return Promise.resolve({ sim, ...place(sim) });
  },
});

const ways = {
  "sim.fetch": inProcess((sim) => ({ baseUrl: "http://ads.test", fetch: sim.fetch, close() {} })),
  "MSW 2": inProcess((sim) => underMsw("MSW 2", sim)),
  "MSW 3": inProcess((sim) => underMsw("MSW 3", sim)),
  HTTP: {
    async open() {
      const server = await startServer({ port: 0, publishers: 1, clock: "frozen" });
      const sim = server.worlds.get("default");
      return { sim, baseUrl: server.url, fetch: globalThis.fetch, close: () => server.close() };
    },
  },
} satisfies Readonly<Record<string, Way>>;

/** Asks again after a while, and gives up when an attempt takes too long. */
async function ask(
  { baseUrl, fetch, sim }: Awaited<ReturnType<Way["open"]>>,
  patienceMs: number,
): Promise<string> {
  const { id, apiKey } = sim.publishers.at(0);
  const url = `${baseUrl}/v1/publisher/surfaces?publisher_id=${id}`;
  for (;;) {
    try {
      const signal = AbortSignal.timeout(patienceMs);
      const answer = await fetch(url, { headers: { authorization: `Bearer ${apiKey}` }, signal });
      const { surfaces } = await answer.json();
      if (answer.status === 200) return `${answer.status}, ${surfaces.length > 0}`;
    } catch (error) {
      const { name } = error as Error;
      if (name === "TimeoutError") return name;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

interface Situation {
  readonly rule: FaultRule | undefined;
  /** `AbortSignal.timeout` is never a fake, so this is real time. */
  readonly patienceMs: number;
  readonly seen: string;
}

const found = { patienceMs: 50_000, seen: "200, true" } as const;
const once = { nth: 1 } as const;

const situations: Readonly<Record<string, Situation>> = {
  "an answer": { rule: undefined, ...found },
  "an answer that was refused at first": {
    rule: { match: once, verdict: { kind: "respond", status: 503, body: {} } },
    ...found,
  },
  "an answer that was lost at first": {
    rule: { match: once, verdict: { kind: "lose-response" } },
    ...found,
  },
  "a late answer": { rule: { verdict: { kind: "delay", delay: "150ms" } }, ...found },
  "an answer that drips": { rule: { verdict: { kind: "drip", bytesPerSecond: 6000 } }, ...found },
  silence: { rule: { verdict: { kind: "timeout" } }, patienceMs: 60, seen: "TimeoutError" },
};

let fakes: Fakes | undefined;

afterEach(() => {
  fakes?.remove();
  fakes = undefined;
});

/** Lets fake time pass until it has settled. */
async function settle<Result>(work: Promise<Result>): Promise<Result> {
  let isSettled = false;
  const noted = work.finally(() => {
    isSettled = true;
  });
  while (!isSettled) {
    await fakes?.advance?.(100);
    await realTurn();
  }
  return await noted;
}

describe.each(Object.entries(settings))("%s", (_setting, start) => {
  describe.each(Object.entries(ways))("%s", (_way, { open }) => {
    test.each(Object.entries(situations))("%s", async (_situation, { rule, patienceMs, seen }) => {
      const place = await open();
      if (rule !== undefined) place.sim.faults.add(rule);
      fakes = start();
      expect(await settle(ask(place, patienceMs))).toBe(seen);
      await place.close();
    });
  });

  test("a server that was loaded under them answers, and closes while an answer is held back", async () => {
    fakes = start();
    vi.resetModules();
    const { startServer } = await import("../../src/server.ts");
    const server = await startServer({ port: 0, publishers: 1, clock: "frozen" });
    const sim = server.worlds.get("default");
    sim.faults.add({ match: { nth: 2 }, verdict: { kind: "delay", delay: "1h" } });
    const { fetch } = globalThis;
    const place = { sim, baseUrl: server.url, fetch, close: server.close };
    expect(await settle(ask(place, 50_000))).toBe(found.seen);
    const late = ask(place, 50_000);
    await settle(sim.journal.waitFor({}, 2));
    await server.close();
    expect(sim.journal.entries()[1]?.fault?.received).toBe("nothing");
    void late;
  });
});

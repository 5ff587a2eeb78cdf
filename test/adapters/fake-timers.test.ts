/**
 * A client under a test's fake timers, by every way to a simulator: the table of docs/reference/fake-timers.md. Jest's rows are tried with
 * Jest itself, on the package.
 */

import { install } from "@sinonjs/fake-timers";
import { afterEach, expect, test, vi } from "vitest";
import { createSimulator, type Simulator } from "../../src/index.ts";
import { startServer } from "../../src/server.ts";
import { listeners } from "../msw-versions.ts";
import { ask, type Place, settle, situations } from "./waiting-client.ts";

interface Fakes {
  /** Moves their time by a step, if it doesn't move by itself. */
  advance(): unknown;
  remove(): void;
}

const STEP_MS = 100;
/** What the documentation recommends for sinon. */
const sinonFakes = ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date"] as const;

function inVitest(advance: Fakes["advance"]): Fakes {
  return { advance, remove: () => void vi.useRealTimers() };
}

const settings: Readonly<Record<string, () => Fakes>> = {
  "vitest, time moved in steps"() {
    vi.useFakeTimers();
    return inVitest(() => vi.advanceTimersByTimeAsync(STEP_MS));
  },
  "vitest, time moves by itself"() {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    return inVitest(() => undefined);
  },
  "sinon, time moved in steps"() {
    const clock = install({ toFake: [...sinonFakes] });
    return { advance: () => clock.tickAsync(STEP_MS), remove: () => clock.uninstall() };
  },
  "sinon, time moves by itself"() {
    const clock = install({ toFake: [...sinonFakes], shouldAdvanceTime: true });
    return { advance: () => undefined, remove: () => clock.uninstall() };
  },
};

function underMsw(version: keyof typeof listeners): () => Place {
  return () => {
    const sim = createSimulator({ publishers: 1 });
    const baseUrl = "http://ads.test";
    const close = listeners[version](sim, baseUrl);
    return { sim, baseUrl, fetch: globalThis.fetch, close };
  };
}

const ways: Readonly<Record<string, () => Place | Promise<Place>>> = {
  "sim.fetch"() {
    const sim: Simulator = createSimulator({ publishers: 1 });
    return { sim, baseUrl: "http://ads.test", fetch: sim.fetch, close() {} };
  },
  "MSW 2": underMsw("MSW 2"),
  "MSW 3": underMsw("MSW 3"),
  HTTP: () => served(startServer),
};

async function served(start: typeof startServer): Promise<Place> {
  const server = await start({ port: 0, publishers: 1, clock: "frozen" });
  const sim = server.worlds.get("default");
  return { sim, baseUrl: server.url, fetch: globalThis.fetch, close: () => server.close() };
}

let fakes: Fakes | undefined;

afterEach(() => {
  fakes?.remove();
  fakes = undefined;
});

/** Under the first setting all are tried, under the others so many that any two of setting, way and situation meet. */
const tried = Object.entries(settings).flatMap(([setting, start], settingAt) =>
  Object.entries(ways).flatMap(([way, open], wayAt) =>
    Object.entries(situations).flatMap(([situation, told], at) =>
      settingAt === 0 || (wayAt + at) % 4 === settingAt
        ? [{ setting, start, way, open, situation, ...told }]
        : [],
    ),
  ),
);

test.each(tried)("$setting: $way: $situation", async ({ start, open, rules, patienceMs, seen }) => {
  const place = await open();
  for (const rule of rules) place.sim.faults.add(rule);
  fakes = start();
  expect(await settle(ask(place, patienceMs), fakes.advance)).toBe(seen);
  await place.close();
});

const inSteps = Object.entries(settings).filter(([name]) => name.endsWith("in steps"));

test.each(inSteps)(
  "%s: a server that was loaded under them answers, and closes while an answer is held back",
  async (_, start) => {
    fakes = start();
    vi.resetModules();
    const place = await served((await import("../../src/server.ts")).startServer);
    const { faults, journal } = place.sim;
    faults.add({ match: { nth: 2 }, verdict: { kind: "delay", delay: "1h" } });
    expect(await settle(ask(place, 50_000), fakes.advance)).toBe("200");
    const late = ask(place, 50_000);
    await settle(journal.waitFor({}, 2), fakes.advance);
    await place.close();
    expect(journal.entries()[1]?.fault?.received).toBe("nothing");
    void late;
  },
);

/** The verdicts that MSW 2 and 3 carry out, for two clients, and the rules that they refuse. */

import { HttpHandler as HttpHandler3 } from "msw";
import { HttpHandler as HttpHandler2 } from "msw2";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createSimulator, type Simulator } from "../../src/index.ts";
import { createHandlers } from "../../src/msw.ts";
import { createHandlers2, listeners } from "../msw-versions.ts";
import { cases, impression, listing, nameOf, patienceFor, type Verdict } from "./cases.ts";
import { content, expectShown, type Wording } from "./expect-shown.ts";
import { type Observe, observeFetch, observeHttp } from "./observe.ts";

const WAIT = { timeout: 20_000, interval: 5 };
const baseUrl = "http://ads.invalid";

const closers: (() => unknown)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

test("each version of MSW gets its own handlers", () => {
  const sim = createSimulator();
  expect(createHandlers2(sim)[0]).toBeInstanceOf(HttpHandler2);
  expect(createHandlers(sim)[0]).toBeInstanceOf(HttpHandler3);
});

/** MSW can't reset a connection or send noise: see below. */
const neverDone = { ...content, reset: undefined, noise: undefined };
const brokenOff = /^TypeError: terminated: UND_ERR_SOCKET$/;
const httpClient = {
  observe: observeHttp,
  wording: {
    ...neverDone,
    closed: /^Network error$/,
    silent: /^impatient$/,
    half: /^ECONNRESET: aborted$/,
    head: /^ECONNRESET: aborted$/,
  },
};

interface Subject {
  readonly version: keyof typeof listeners;
  readonly client: string;
  readonly observe: Observe;
  readonly wording: Wording;
  /** Whether MSW notices that the client leaves. */
  readonly tellsAbort: boolean;
}

const subjects: readonly Subject[] = [
  {
    version: "MSW 2",
    client: "fetch",
    // Looked up at the time of use: MSW replaces it.
    observe: (sent) => observeFetch(fetch)(sent),
    wording: {
      ...neverDone,
      closed: /^TypeError: Failed to fetch$/,
      silent: /^AbortError: /,
      half: brokenOff,
      head: brokenOff,
    },
    tellsAbort: true,
  },
  { version: "MSW 2", client: "node:http", ...httpClient, tellsAbort: false },
  {
    version: "MSW 3",
    client: "fetch",
    observe: (sent) => observeFetch(fetch)(sent),
    wording: {
      ...neverDone,
      closed: /^TypeError: fetch failed$/,
      silent: /^AbortError: /,
      half: brokenOff,
      head: brokenOff,
    },
    tellsAbort: true,
  },
  { version: "MSW 3", client: "node:http", ...httpClient, tellsAbort: true },
];

const possible = cases.filter(({ manner }) => manner !== "reset" && manner !== "noise");

describe.each(subjects)("$version, $client", ({ version, observe, wording, tellsAbort }) => {
  function connect(): Simulator {
    const sim = createSimulator({ publishers: 3 });
    closers.push(listeners[version](sim, baseUrl));
    return sim;
  }

  test.each(possible.map((one) => [nameOf(one), one] as const))("sees %s", async (_, one) => {
    await expectShown({ observe, sim: connect(), baseUrl }, one, wording);
  });

  test("reorder: the answer comes as soon as a later one was sent", async () => {
    const sim = connect();
    sim.faults.add({ match: { nth: 1 }, verdict: { kind: "reorder", atMost: "1h" } });
    const order: string[] = [];
    const ask = async (which: string): Promise<void> => {
      await observe(listing(sim, baseUrl));
      order.push(which);
    };
    const first = ask("first");
    await vi.waitUntil(() => sim.journal.total === 1, WAIT);
    await Promise.all([first, ask("second")]);
    expect(order).toEqual(["second", "first"]);
  });

  test.each([
    { kind: "delay", delay: "1m" },
    { kind: "reorder", atMost: "1m" },
    { kind: "drip", bytesPerSecond: 1 },
  ] as const)(
    "a client that leaves during %j is journalled as without an answer, if MSW notices",
    async (verdict) => {
      const sim = connect();
      sim.faults.add({ verdict });
      const seen = await observe({ ...impression(sim, baseUrl), patience: patienceFor(sim) });
      expect(seen.failure).toBeDefined();
      const received = (): string | undefined => sim.journal.entries()[0]?.fault?.received;
      if (tellsAbort) await vi.waitUntil(() => received() === "nothing", WAIT);
      else expect(received()).toBe("whole");
    },
  );
});

describe("a verdict that MSW can't carry out", () => {
  const refused: readonly (readonly [Verdict, string])[] = [
    [{ kind: "reset" }, 'Use { "kind": "empty" }, or sim.fetch or the server'],
    [{ kind: "drop", as: "reset" }, 'Use as "close", or sim.fetch or the server'],
    [{ kind: "lose-response", as: "reset" }, 'Use as "close", or sim.fetch or the server'],
    [{ kind: "garbage", as: "response" }, 'Use as "body", or sim.fetch or the server'],
  ];

  test.each(refused)(
    "%j is refused when the rule is added, and the error names an alternative",
    (verdict, advice) => {
      const sim = createSimulator();
      createHandlers(sim);
      expect(() => sim.faults.add({ verdict })).toThrow("verdict can't be carried out: ");
      expect(() => sim.faults.add({ verdict })).toThrow(advice);
      expect(sim.faults.list()).toEqual([]);
    },
  );

  test.each(refused)("%j, if added before, makes creating handlers fail", (verdict, advice) => {
    const sim = createSimulator({ faults: [{ id: "old", verdict }] });
    expect(() => createHandlers(sim)).toThrow("faults.old can't be carried out: ");
    expect(() => createHandlers(sim)).toThrow(advice);
    sim.faults.clear();
    expect(createHandlers(sim)).toHaveLength(1);
  });

  test("all other verdicts are accepted", () => {
    const sim = createSimulator();
    createHandlers(sim);
    for (const { verdict } of possible) sim.faults.add({ verdict });
    expect(sim.faults.list()).toHaveLength(possible.length);
  });

  test("a service that only answers, without rules, gets handlers", () => {
    const { handle } = createSimulator();
    expect(createHandlers({ handle })).toHaveLength(1);
  });
});

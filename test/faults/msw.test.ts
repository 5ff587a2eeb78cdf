/** What becomes of each verdict under MSW 2 and 3, for two clients. */

import { HttpHandler as HttpHandler3 } from "msw";
import { HttpHandler as HttpHandler2 } from "msw2";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createSimulator, type Simulator } from "../../src/index.ts";
import { createHandlers } from "../../src/msw.ts";
import { createHandlers2, listeners } from "../msw-versions.ts";
import { cases, impression, listing, nameOf, patienceFor } from "./cases.ts";
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

/** A connection that is closed or reset, or carries no HTTP: MSW has one network error for all of them. */
function failing(wording: RegExp): Pick<Wording, "closed" | "reset" | "noise"> {
  return { closed: wording, reset: wording, noise: wording };
}
const brokenOff = /^TypeError: terminated: UND_ERR_SOCKET$/;
const httpClient = {
  observe: observeHttp,
  wording: {
    ...content,
    ...failing(/^Network error$/),
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
      ...content,
      ...failing(/^TypeError: Failed to fetch$/),
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
      ...content,
      ...failing(/^TypeError: fetch failed$/),
      silent: /^AbortError: /,
      half: brokenOff,
      head: brokenOff,
    },
    tellsAbort: true,
  },
  { version: "MSW 3", client: "node:http", ...httpClient, tellsAbort: true },
];

describe.each(subjects)("$version, $client", ({ version, observe, wording, tellsAbort }) => {
  function connect(): Simulator {
    const sim = createSimulator({ publishers: 3 });
    closers.push(listeners[version](sim, baseUrl));
    return sim;
  }

  test.each(cases.map((one) => [nameOf(one), one] as const))("sees %s", async (_, one) => {
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

test("a service that only answers, without rules, gets handlers", () => {
  const { handle } = createSimulator();
  expect(createHandlers({ handle })).toHaveLength(1);
});

/** Each verdict as real clients see it: Node's fetch, node:http and curl at a real server, and sim.fetch in process. */

import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createSimulator } from "../../src/index.ts";
import { type Server, startServer } from "../../src/server.ts";
import { hasCurl } from "../programs.ts";
import { type Connected, cases, impression, listing, nameOf, patienceFor } from "./cases.ts";
import { content, expectShown, type Wording } from "./expect-shown.ts";
import { type Observe, observeCurl, observeFetch, observeHttp, type Seen } from "./observe.ts";

const WAIT = { timeout: 20_000, interval: 5 };
const HOUR = "1h";

const inFetch: Wording = {
  ...content,
  closed: /^TypeError: fetch failed: UND_ERR_SOCKET$/,
  reset: /^TypeError: fetch failed: ECONNRESET$/,
  silent: /^AbortError: /,
  half: /^TypeError: terminated: UND_ERR_SOCKET$/,
  head: /^TypeError: terminated: UND_ERR_SOCKET$/,
  // The cause has no code where undici was built without it.
  noise: /^TypeError: fetch failed: (HPE_INVALID_CONSTANT|HTTPParserError)$/,
};

interface Subject {
  readonly wording: Wording;
  connect(): Connected<Seen>;
}

let server: Server;
let worlds = 0;
beforeAll(async () => {
  server = await startServer({ port: 0, publishers: 3, clock: "frozen" });
});
afterAll(() => server.close());

function overHttp(observe: Observe): Connected<Seen> {
  worlds += 1;
  const name = `w${worlds}`;
  return { observe, sim: server.worlds.get(name), baseUrl: `${server.url}/@${name}` };
}

const subjects: Readonly<Record<string, Subject>> = {
  fetch: { connect: () => overHttp(observeFetch(fetch)), wording: inFetch },
  "node:http": {
    connect: () => overHttp(observeHttp),
    wording: {
      ...content,
      closed: /^ECONNRESET: socket hang up$/,
      reset: /^ECONNRESET: read ECONNRESET$/,
      silent: /^impatient$/,
      half: /^ECONNRESET: aborted$/,
      head: /^ECONNRESET: aborted$/,
      noise: /^HPE_INVALID_CONSTANT: /,
    },
  },
  curl: {
    connect: () => overHttp(observeCurl),
    wording: {
      ...content,
      closed: /^exit 52$/,
      reset: /^exit 56$/,
      silent: /^exit 28$/,
      half: /^exit 18$/,
      head: /^exit 18$/,
      noise: /^exit 1$/,
    },
  },
  "sim.fetch": {
    connect() {
      const sim = createSimulator({ publishers: 3 });
      return { observe: observeFetch(sim.fetch), sim, baseUrl: "http://sim.test" };
    },
    wording: inFetch,
  },
};

const here = Object.entries(subjects).filter(([name]) => name !== "curl" || hasCurl);

describe.each(here)("%s", { concurrent: true }, (_, { wording, connect }) => {
  test.each(cases.map((one) => [nameOf(one), one] as const))("sees %s", async (_name, one) => {
    await expectShown(connect(), one, wording);
  });

  test.each(["lose-response", "drop"] as const)(
    "%s doesn't affect the next request",
    async (kind) => {
      const { observe, sim, baseUrl } = connect();
      const whole = await observe(listing(sim, baseUrl));
      sim.faults.add({ match: { nth: 2 }, verdict: { kind } });
      const seen: Seen[] = [];
      for (let count = 0; count < 3; count += 1) seen.push(await observe(listing(sim, baseUrl)));
      expect(seen.map(({ status }) => status)).toEqual([200, undefined, 200]);
      expect(seen[2]?.body.equals(whole.body)).toBe(true);
      expect(sim.journal.total).toBe(4);
    },
  );

  test("reorder: by 2, the answer comes once two later ones were sent", async () => {
    const { observe, sim, baseUrl } = connect();
    sim.faults.add({ match: { nth: 1 }, verdict: { kind: "reorder", by: 2, atMost: HOUR } });
    const order: string[] = [];
    const ask = async (which: string): Promise<void> => {
      const { status } = await observe(listing(sim, baseUrl));
      order.push(`${which} ${status}`);
    };
    const first = ask("first");
    await vi.waitUntil(() => sim.journal.total === 1, WAIT);
    await ask("second");
    expect(order).toEqual(["second 200"]);
    const third = ask("third");
    await Promise.all([first, third]);
    expect(order.toSorted()).toEqual(["first 200", "second 200", "third 200"]);
    expect(sim.journal.entries()[0]?.fault).toMatchObject({ kind: "reorder", received: "whole" });
  });

  test.each([
    { kind: "delay", delay: HOUR },
    { kind: "reorder", atMost: HOUR },
    { kind: "truncate", atByte: 5, delay: HOUR },
    { kind: "drip", bytesPerSecond: 1 },
  ] as const)(
    "a request whose client leaves during %j is journalled without an answer",
    async (verdict) => {
      const { observe, sim, baseUrl } = connect();
      sim.faults.add({ verdict });
      const seen = await observe({ ...impression(sim, baseUrl), patience: patienceFor(sim) });
      expect(seen.failure).toMatch(wording.silent ?? "no wording for silent");
      expect(seen.status).toBe(verdict.kind === "drip" ? 200 : undefined);
      await vi.waitUntil(() => sim.journal.entries()[0]?.fault?.received === "nothing", WAIT);
      const [entry] = sim.journal.entries();
      expect(entry?.fault).toMatchObject({ served: true, lost: { status: 200 } });
      expect(entry?.response.status).toBe(0);
      expect(sim.journal.total).toBe(1);
    },
  );

  test("an injected answer whose client has left doesn't count as an answer", async () => {
    const { observe, sim, baseUrl } = connect();
    sim.faults.add({ verdict: { kind: "respond", status: 503, delay: HOUR } });
    await observe({ ...impression(sim, baseUrl), patience: patienceFor(sim) });
    await vi.waitUntil(() => sim.journal.entries()[0]?.fault?.received === "nothing", WAIT);
    const [entry] = sim.journal.entries();
    expect(entry?.fault).toMatchObject({ served: false, lost: undefined });
  });
});

test("a slow body of one byte a second starts with the head at once, and stops when the client leaves", async () => {
  const { sim, baseUrl } = overHttp(observeHttp);
  const { url, headers = {} } = listing(sim, baseUrl);
  sim.faults.add({ verdict: { kind: "drip", bytesPerSecond: 1 } });
  const response = await fetch(url, { headers });
  const began = performance.now();
  const reader = response.body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  expect(value?.length).toBe(1);
  // The head took some time to arrive.
  expect(performance.now() - began).toBeGreaterThan(500);
  await reader?.cancel();
  await vi.waitUntil(() => sim.journal.entries()[0]?.fault?.received === "nothing", WAIT);
});

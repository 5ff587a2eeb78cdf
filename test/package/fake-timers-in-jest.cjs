/**
 * Jest's rows of the table in docs/fake-timers.md, as tests for Jest: it has a global object of its own, which no other runner
 * can stand in for. The rows of vitest and sinon are in test/adapters/fake-timers.test.ts.
 */

const { setImmediate: realTurn } = require("node:timers/promises");
const { createSimulator } = require("adsim");
const { createHandlers } = require("adsim/msw");
const { startServer } = require("adsim/server");
const { setupServer } = require("msw/node");

const doNotFake = ["nextTick", "queueMicrotask", "setImmediate"];
const settings = {
  "moved in steps": { fakes: {}, move: () => jest.advanceTimersByTimeAsync(100) },
  "moved by itself": { fakes: { advanceTimers: true, doNotFake }, move: () => undefined },
};

const ways = {
  "sim.fetch"() {
    const sim = createSimulator({ publishers: 1 });
    return { sim, baseUrl: "http://ads.test", fetch: sim.fetch, close() {} };
  },
  "msw 2"() {
    const sim = createSimulator({ publishers: 1 });
    const baseUrl = "http://ads.test";
    const msw = setupServer(...createHandlers(sim, { baseUrl }));
    msw.listen({ onUnhandledRequest: "error" });
    return { sim, baseUrl, fetch: globalThis.fetch, close: () => msw.close() };
  },
  async HTTP() {
    const server = await startServer({ port: 0, publishers: 1, clock: "frozen" });
    const sim = server.worlds.get("default");
    return { sim, baseUrl: server.url, fetch: globalThis.fetch, close: () => server.close() };
  },
};

const once = { nth: 1 };
const found = { patienceMs: 50_000, seen: "200" };
const situations = {
  "an answer": { rules: [], ...found },
  "an answer that was refused at first": {
    rules: [{ match: once, verdict: { kind: "respond", status: 503, body: {} } }],
    ...found,
  },
  "an answer that was lost at first": {
    rules: [{ match: once, verdict: { kind: "lose-response" } }],
    ...found,
  },
  "a late answer": { rules: [{ verdict: { kind: "delay", delay: "150ms" } }], ...found },
  "an answer that drips": {
    rules: [{ verdict: { kind: "drip", bytesPerSecond: 6000 } }],
    ...found,
  },
  silence: { rules: [{ verdict: { kind: "timeout" } }], patienceMs: 60, seen: "TimeoutError" },
};

/** Asks again after a while, and gives up when an attempt takes too long. */
async function ask({ baseUrl, fetch, sim }, patienceMs) {
  const { id, apiKey } = sim.publishers.at(0);
  const url = `${baseUrl}/v1/publisher/surfaces?publisher_id=${id}`;
  for (;;) {
    try {
      const signal = AbortSignal.timeout(patienceMs);
      const answer = await fetch(url, { headers: { authorization: `Bearer ${apiKey}` }, signal });
      await answer.json();
      if (answer.status === 200) return "200";
    } catch ({ name }) {
      if (name === "TimeoutError") return name;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function settle(work, move) {
  let isSettled = false;
  const noted = work.finally(() => {
    isSettled = true;
  });
  while (!isSettled) {
    await move();
    await realTurn();
  }
  return await noted;
}

afterEach(() => jest.useRealTimers());

describe.each(Object.entries(settings))("time is %s", (_setting, { fakes, move }) => {
  describe.each(Object.entries(ways))("%s", (way, open) => {
    const tried = Object.entries(situations).filter(
      // While queueMicrotask is a fake, msw 2 answers an aborted request with status 500.
      ([name]) => name !== "silence" || way !== "msw 2" || fakes.doNotFake !== undefined,
    );
    test.each(tried)("%s", async (_name, { rules, patienceMs, seen }) => {
      const place = await open();
      for (const rule of rules) place.sim.faults.add(rule);
      jest.useFakeTimers(fakes);
      expect(await settle(ask(place, patienceMs), move)).toBe(seen);
      await place.close();
    });
  });

  test("a server that was loaded under them closes while an answer is held back", async () => {
    jest.useFakeTimers(fakes);
    jest.resetModules();
    const server = await require("adsim/server").startServer({ port: 0, clock: "frozen" });
    const sim = server.worlds.get("default");
    sim.faults.add({ verdict: { kind: "delay", delay: "1h" } });
    const place = { sim, baseUrl: server.url, fetch: globalThis.fetch };
    const late = ask(place, 50_000);
    await settle(sim.journal.waitFor({}), move);
    await server.close();
    expect(sim.journal.entries()[0].fault.received).toBe("nothing");
    void late;
  });
});

/**
 * Jest's rows of the table in docs/reference/fake-timers.md, as tests for Jest: it has a global object of its own, which no other runner
 * can stand in for. The rows of vitest and sinon are in test/adapters/fake-timers.test.ts.
 */

const { createSimulator } = require("adsim");
const { createHandlers } = require("adsim/msw");
const { startServer } = require("adsim/server");
const { setupServer } = require("msw/node");
const { ask, settle, situations } = require("./waiting-client.js");

const doNotFake = ["nextTick", "queueMicrotask", "setImmediate"];
const settings = {
  "moved in steps": { fakes: {}, advance: () => jest.advanceTimersByTimeAsync(100) },
  "moving by itself": { fakes: { advanceTimers: true, doNotFake }, advance: () => undefined },
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

afterEach(() => jest.useRealTimers());

describe.each(Object.entries(settings))("time is %s", (_setting, { fakes, advance }) => {
  describe.each(Object.entries(ways))("%s", (way, open) => {
    const tried = Object.entries(situations).filter(
      // While queueMicrotask is a fake, msw 2 answers an aborted request with status 500.
      ([name]) => name !== "silence" || way !== "msw 2" || fakes.doNotFake !== undefined,
    );
    test.each(tried)("%s", async (_name, { rules, patienceMs, seen }) => {
      const place = await open();
      for (const rule of rules) place.sim.faults.add(rule);
      jest.useFakeTimers(fakes);
      expect(await settle(ask(place, patienceMs), advance)).toBe(seen);
      await place.close();
    });
  });
});

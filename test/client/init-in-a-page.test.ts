/** How `init` treats a fetch that fails without a reason, as in a page that the service's CORS headers don't allow. */

import { expect, test } from "vitest";
import { createAds, InitError } from "../../src/client.ts";

/** Time passes as soon as somebody waits for it. */
function fastClock() {
  let nowMs = 0;
  return {
    now: () => nowMs,
    setTimeout(callback: () => void, delayMs: number) {
      // Time-outs of requests never come.
      if (delayMs === TIMEOUT_MS) return undefined;
      nowMs += delayMs;
      queueMicrotask(callback);
      return undefined;
    },
    clearTimeout: () => undefined,
  };
}

const TIMEOUT_MS = 9876;
const pageError = () => new TypeError("Failed to fetch");
const nodeError = () =>
  new TypeError("fetch failed", {
    cause: Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" }),
  });

/** How often `init` asks before it fails, and with what. */
async function failing(errors: (asked: number) => Error) {
  let asked = 0;
  const clock = fastClock();
  const ads = createAds({
    baseUrl: "http://ads.example",
    apiKey: "key",
    publisherId: "pub",
    surfaces: ["Sidebar"],
    timeoutMs: TIMEOUT_MS,
    clock,
    fetch: async () => {
      asked += 1;
      throw errors(asked);
    },
  });
  const error = await ads.init().then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof InitError)) throw error;
  return { asked, error, tookMs: clock.now(), ads };
}

test("init gives up after three failures without a reason, within seconds, and the message asks about CORS", async () => {
  const { asked, error, tookMs, ads } = await failing(pageError);
  expect(asked).toBe(3);
  expect(tookMs).toBeLessThan(4000);
  expect(error.message).toBe(
    "The surfaces can't be listed: There was no answer: TypeError: Failed to fetch (CORS?)",
  );
  expect(error.error?.kind).toBe("unreachable");
  // It can be tried again.
  await expect(ads.init()).rejects.toBeInstanceOf(InitError);
});

test("init makes all ten attempts if failures have a reason", async () => {
  const { asked, error } = await failing(nodeError);
  expect(asked).toBe(10);
  expect(error.message).toContain("(connect ECONNREFUSED)");
});

test("only failures without a reason count", async () => {
  const { asked } = await failing((count) => (count % 2 === 0 ? pageError() : nodeError()));
  expect(asked).toBe(6);
});

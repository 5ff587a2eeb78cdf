/** Each verdict as real clients see it: Node's fetch, node:http and curl at a real server, and sim.fetch in process. */

import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createSimulator } from "../../src/index.ts";
import { type Server, startServer } from "../../src/server.ts";
import { hasCurl } from "../programs.ts";
import { type Connected, fewCases, listing } from "./cases.ts";
import { testClient, WAIT } from "./client-suite.ts";
import { content, type Wording } from "./expect-shown.ts";
import { type Observe, observeCurl, observeFetch, observeHttp, type Seen } from "./observe.ts";

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

describe("fetch", { concurrent: true }, () => {
  const connect = (): Connected<Seen> => overHttp(observeFetch(fetch));
  testClient({ connect, wording: inFetch, tellsAbort: true });
});

describe("node:http", { concurrent: true }, () => {
  const wording: Wording = {
    ...content,
    closed: /^ECONNRESET: socket hang up$/,
    reset: /^ECONNRESET: read ECONNRESET$/,
    silent: /^impatient$/,
    half: /^ECONNRESET: aborted$/,
    head: /^ECONNRESET: aborted$/,
    noise: /^HPE_INVALID_CONSTANT: /,
  };
  testClient({ connect: () => overHttp(observeHttp), wording, tellsAbort: true }, fewCases);
});

describe.skipIf(!hasCurl)("curl", { concurrent: true }, () => {
  const wording: Wording = {
    ...content,
    closed: /^exit 52$/,
    reset: /^exit 56$/,
    silent: /^exit 28$/,
    half: /^exit 18$/,
    head: /^exit 18$/,
    noise: /^exit 1$/,
  };
  testClient({ connect: () => overHttp(observeCurl), wording, tellsAbort: true }, fewCases);
});

describe("sim.fetch", { concurrent: true }, () => {
  function connect(): Connected<Seen> {
    const sim = createSimulator({ publishers: 3 });
    return { observe: observeFetch(sim.fetch), sim, baseUrl: "http://sim.test" };
  }
  testClient({ connect, wording: inFetch, tellsAbort: true });
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

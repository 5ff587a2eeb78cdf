/**
 * Raw requests by the thousand against a server: none gets a 5xx that no rule wrote, and none hangs. `ADSIM_SEED` picks
 * others.
 */

import { connect } from "node:net";
import { afterAll, expect, test, vi } from "vitest";
import type { SimulatorCore } from "../../src/index.ts";
import { startServer } from "../../src/server.ts";
import { runsOf } from "../budget.ts";
import { BUSY, drawsOf, type RawRequest, rawRequest } from "./requests.ts";

const REQUESTS = runsOf(10_000, 2500);
const SEED = process.env.ADSIM_SEED ?? "fuzz";
const CONNECTIONS = 32;
const PIPELINED = 6;
/** Longer than the server waits for anything. */
const PATIENCE_MS = 20_000;

/** Everything that the process prints while a test runs. */
const said: string[] = [];
for (const stream of [process.stdout, process.stderr]) {
  vi.spyOn(stream, "write").mockImplementation((chunk) => {
    said.push(String(chunk));
    return true;
  });
}
afterAll(() => vi.restoreAllMocks());

/** Sends bytes, then says that no more come, and reads to the end. */
function conversation(port: number, bytes: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, "127.0.0.1");
    const text = (): string => Buffer.concat(chunks).toString("latin1");
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error(`no end; sent ${JSON.stringify(bytes.toString("latin1"))}, got ${text()}`));
    }, PATIENCE_MS);
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("close", () => {
      clearTimeout(timer);
      resolve(text());
    });
    // A connection that the server resets has ended, too.
    socket.on("error", () => undefined);
    socket.end(bytes);
  });
}

/** The heads of all responses in a text; those in a body can't be told from them, and bodies hold none. */
function headsOf(text: string): string[] {
  return text.match(/HTTP\/1\.1 [1-5]\d\d [\s\S]*?\r\n\r\n/g) ?? [];
}

/** Uses up the reporting quota of every publisher of a world. */
function useUpReports({ publishers, handle }: SimulatorCore): void {
  for (const { id, apiKey } of publishers.credentials(publishers.total)) {
    const headers = { authorization: `Bearer ${apiKey}` };
    const request = { method: "GET", path: `/v1/publisher/surfaces?publisher_id=${id}`, headers };
    while (handle(request).status === 200);
  }
}

test("no raw request to /v1 or /_sim hangs or gets a 5xx that no rule wrote", async () => {
  await using server = await startServer({
    port: 0,
    publishers: 3,
    clock: "frozen",
    explain: true,
  }).then((started) => Object.assign(started, { [Symbol.asyncDispose]: () => started.close() }));
  const port = Number(new URL(server.url).port);
  const drawsFor = drawsOf(SEED);
  const statuses = new Map<string, number>();
  let next = 0;
  let answered = 0;

  function batch(): RawRequest[] {
    const requests: RawRequest[] = [];
    while (next < REQUESTS && requests.length < PIPELINED) {
      // Some requests reset that world, or advance its clock.
      if (next % 500 === 0) useUpReports(server.worlds.get(BUSY));
      const { publishers } = server.worlds.get("default");
      // A scenario that was played may have left fewer publishers.
      const publisher = publishers.at(next % Math.min(3, publishers.total));
      const request = rawRequest(drawsFor(next), publisher);
      next += 1;
      requests.push(request);
      // A request whose end the server can't tell is the last on its connection.
      if (!request.isFramed) break;
    }
    return requests;
  }
  async function converse(): Promise<void> {
    for (let requests = batch(); requests.length > 0; requests = batch()) {
      const sent = Buffer.concat(requests.map(({ bytes }) => bytes));
      const text = await conversation(port, sent);
      const heads = headsOf(text);
      answered += heads.length;
      for (const head of heads) {
        const status = head.slice(9, 12);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (status >= "500" && !/x-adsim-fault/i.test(head)) {
          throw new Error(`${status} for ${JSON.stringify(sent.toString("latin1"))}: ${text}`);
        }
      }
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, converse));

  // Most were answered, with many statuses, and the server still works.
  expect(answered).toBeGreaterThan(REQUESTS / 2);
  for (const status of ["200", "201", "400", "401", "403", "404", "405", "409", "415", "429"]) {
    expect(statuses.get(status) ?? 0, `answers with ${status}`).toBeGreaterThan(0);
  }
  expect((await fetch(`${server.url}/_sim/health`)).status).toBe(200);
  expect(said.filter((text) => text.includes("adsim: a bug"))).toEqual([]);
}, 600_000);

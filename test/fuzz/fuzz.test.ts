/**
 * Raw requests by the thousand against a server: none gets a 5xx that no rule wrote, and none hangs. `ADSIM_SEED` picks
 * others.
 */

import { connect } from "node:net";
import fc from "fast-check";
import { afterAll, expect, test, vi } from "vitest";
import type { SimulatorCore } from "../../src/index.ts";
import { runsOf } from "../budget.ts";
import { serve } from "../server/raw.ts";
import { anyRawRequest, BUSY } from "./requests.ts";

const REQUESTS_A_ROUND = 100;
const ROUNDS = runsOf(100);
const SEED = Number(process.env.ADSIM_SEED) || 20_260_115;
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
  await using server = await serve({ publishers: 3, clock: "frozen", explain: true });
  const statuses = new Map<string, number>();
  let answered = 0;

  async function converse(requests: readonly Buffer[]): Promise<void> {
    const sent = Buffer.concat(requests);
    const text = await conversation(server.port, sent);
    for (const head of headsOf(text)) {
      answered += 1;
      const status = head.slice(9, 12);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status >= "500" && !/x-adsim-fault/i.test(head)) {
        throw new Error(`${status} for ${JSON.stringify(sent.toString("latin1"))}: ${text}`);
      }
    }
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    // Requests reset that world now and then, or advance its clock.
    useUpReports(server.worlds.get(BUSY));
    server.worlds.get("other");
    const requests = anyRawRequest(server.worlds.get("default"));
    const drawn = fc.sample(requests, { seed: SEED + round, numRuns: REQUESTS_A_ROUND });
    const connections: Buffer[][] = [[]];
    for (const { bytes, isFramed } of drawn) {
      connections.at(-1)?.push(bytes);
      // A request whose end the server can't tell is the last on its connection.
      if (!isFramed || connections.at(-1)?.length === PIPELINED) connections.push([]);
    }
    await Promise.all(connections.map(converse));
  }

  // Most were answered, with many statuses, and the server still works.
  expect(answered).toBeGreaterThan((ROUNDS * REQUESTS_A_ROUND) / 2);
  for (const status of ["200", "201", "400", "401", "403", "404", "405", "409", "415", "429"]) {
    expect(statuses.get(status) ?? 0, `answers with ${status}`).toBeGreaterThan(0);
  }
  expect((await fetch(`${server.url}/_sim/health`)).status).toBe(200);
  expect(said.filter((text) => text.includes("adsim: a bug"))).toEqual([]);
}, 600_000);

/** One list of requests, the same answers: in process, over fetch, through MSW 2 and 3, and over HTTP. */

import { expect, test } from "vitest";
import { createSimulator } from "../src/index.ts";
import { startServer } from "../src/server.ts";
import { listeners } from "./msw-versions.ts";
import { parityOptions, type RecordedRequest, recordRequests } from "./parity-requests.ts";

/** What belongs to a connection and not to an answer. */
const transportHeaders = ["connection", "keep-alive", "transfer-encoding"];

const requests = recordRequests(parityOptions);
const expected = playInProcess();

/** Names the first request that was answered otherwise. */
async function expectSame(send: typeof fetch, baseUrl: string): Promise<void> {
  for (const [index, request] of requests.entries()) {
    const name = `request ${index}: ${request.method} ${request.target.slice(0, 100)}`;
    expect(await answerTo(request, send, baseUrl), name).toBe(expected[index]);
  }
}

test("the list is answered with every status but 409", () => {
  const statuses = new Set(expected.map((text) => text.slice(0, 3)));
  const all = ["200", "204", "400", "401", "403", "404", "405", "413", "414", "415", "429"];
  expect([...statuses].sort()).toEqual(all);
});

test("fetch answers as the simulator in process does", () =>
  expectSame(createSimulator(parityOptions).fetch, "https://parity.invalid"));

test.each(["MSW 2", "MSW 3"] as const)("%s answers as in process", async (version) => {
  const baseUrl = "https://parity.invalid/prefix";
  const close = listeners[version](createSimulator(parityOptions), baseUrl);
  await expectSame(fetch, baseUrl).finally(close);
});

test("HTTP answers as in process, in the default world and in another", async () => {
  const server = await startServer({ ...parityOptions, port: 0 });
  try {
    await expectSame(fetch, server.url);
    await expectSame(fetch, `${server.url}/@other`);
  } finally {
    await server.close();
  }
});

function playInProcess(): string[] {
  const sim = createSimulator(parityOptions);
  return requests.map(({ target, ...request }) => {
    const { status, headers, body } = sim.handle({ ...request, path: target });
    return textOf(status, Object.entries(headers), Buffer.from(body, "utf8"));
  });
}

async function answerTo(
  request: RecordedRequest,
  send: typeof fetch,
  baseUrl: string,
): Promise<string> {
  const { target, body = null, ...rest } = request;
  const response = await send(`${baseUrl}${target}`, { ...rest, body, redirect: "manual" });
  const bytes = Buffer.from(await response.arrayBuffer());
  return textOf(response.status, [...response.headers], bytes);
}

function textOf(status: number, headers: readonly [string, string][], body: Buffer): string {
  const compared = headers
    .filter(([name]) => !transportHeaders.includes(name.toLowerCase()))
    .map(([name, value]) => `${name.toLowerCase()}: ${value}`)
    .sort();
  // Latin-1 keeps every byte apart.
  return [status, ...compared, body.toString("latin1")].join("\n");
}

/** One list of requests, one digest: in process, over fetch, through MSW 2 and 3, and over HTTP (invariant R4). */

import { createHash } from "node:crypto";
import { HttpHandler as HttpHandler3 } from "msw";
import { setupServer as setupServer3 } from "msw/node";
import { HttpHandler as HttpHandler2 } from "msw2";
import { setupServer as setupServer2 } from "msw2/node";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createSimulator, type SimulatorOptions } from "../src/index.ts";
import { startServer } from "../src/server.ts";
import {
  otherForm,
  parityOptions,
  type RecordedRequest,
  recordRequests,
} from "./parity-requests.ts";

/** What belongs to a connection and not to an answer. */
const transportHeaders = ["connection", "date", "keep-alive", "transfer-encoding"];

afterEach(() => {
  vi.doUnmock("msw");
  vi.resetModules();
});

test("the list reaches every operation, every method and every status", () => {
  const requests = recordRequests(parityOptions);
  const answers = playInProcess(parityOptions, requests);
  const statuses = new Set(answers.map((line) => line.slice(0, 3)));
  expect(requests.length).toBeGreaterThan(150);
  expect([...statuses].sort()).toEqual([
    "200",
    "204",
    "400",
    "401",
    "403",
    "404",
    "405",
    "413",
    "414",
    "415",
    "429",
  ]);
  expect(digest(answers)).not.toBe(digest(answers.slice(1)));
});

const worlds = { "the defaults": parityOptions, "another form": otherForm };

describe.each(Object.entries(worlds))("under %s", (_, options) => {
  const requests = recordRequests(options);
  const same = (answers: readonly string[]): void => expectSameAnswers(options, requests, answers);

  test("fetch answers as the simulator in process does", async () => {
    const sim = createSimulator(options);
    same(await playOver(requests, sim.fetch, "https://parity.invalid"));
  });

  test("MSW 2 answers as the simulator in process does", async () => {
    vi.doMock("msw", () => import("msw2"));
    const handlers = await freshHandlers(options);
    expect(handlers[0]).toBeInstanceOf(HttpHandler2);
    const server = setupServer2(...(handlers as unknown as HttpHandler2[]));
    server.listen({ onUnhandledRequest: "error" });
    try {
      same(await playOver(requests, fetch, "https://parity.invalid/prefix"));
    } finally {
      server.close();
    }
  });

  test("MSW 3 answers as the simulator in process does", async () => {
    const handlers = await freshHandlers(options);
    expect(handlers[0]).toBeInstanceOf(HttpHandler3);
    const server = setupServer3(...handlers);
    server.listen({ onUnhandledFrame: "error" });
    try {
      same(await playOver(requests, fetch, "https://parity.invalid/prefix"));
    } finally {
      server.close();
    }
  });

  test("HTTP answers as the simulator in process does, in the default world and in another", async () => {
    const server = await startServer({ ...options, port: 0 });
    try {
      same(await playOver(requests, fetch, server.url));
      same(await playOver(requests, fetch, `${server.url}/@other`));
    } finally {
      await server.close();
    }
  });
});

/** Handlers of a new simulator, made with the msw that is in place now. */
async function freshHandlers(options: SimulatorOptions): Promise<HttpHandler3[]> {
  vi.resetModules();
  const { createHandlers } = await import("../src/msw.ts");
  return createHandlers(createSimulator(options), {
    baseUrl: "https://parity.invalid/prefix",
  });
}

function playInProcess(options: SimulatorOptions, requests: readonly RecordedRequest[]): string[] {
  const sim = createSimulator(options);
  return requests.map(({ target, ...request }) => {
    const { status, headers, body } = sim.handle({ ...request, path: target });
    return lineOf(status, Object.entries(headers), Buffer.from(body, "utf8"));
  });
}

async function playOver(
  requests: readonly RecordedRequest[],
  send: typeof fetch,
  baseUrl: string,
): Promise<string[]> {
  const answers: string[] = [];
  for (const { method, target, headers, body } of requests) {
    const response = await send(`${baseUrl}${target}`, {
      method,
      headers,
      body: body ?? null,
      redirect: "manual",
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    answers.push(lineOf(response.status, [...response.headers], bytes));
  }
  return answers;
}

function lineOf(status: number, headers: readonly [string, string][], body: Buffer): string {
  const compared = headers
    .map(([name, value]) => `${name.toLowerCase()}: ${value}`)
    .filter((header) => !transportHeaders.includes(header.split(":")[0] ?? ""))
    .sort();
  // Latin-1 keeps every byte apart.
  return [status, ...compared, body.toString("latin1")].join("\n");
}

function digest(answers: readonly string[]): string {
  return createHash("sha256").update(answers.join("\0")).digest("hex");
}

/** Names the first request that was answered otherwise, then compares the digests of all. */
function expectSameAnswers(
  options: SimulatorOptions,
  requests: readonly RecordedRequest[],
  answers: readonly string[],
): void {
  const expected = playInProcess(options, requests);
  for (const [index, request] of requests.entries()) {
    expect(answers[index], nameOf(index, request)).toBe(expected[index]);
  }
  expect(digest(answers)).toBe(digest(expected));
}

function nameOf(index: number, { method, target }: RecordedRequest): string {
  return `request ${index}: ${method} ${target.slice(0, 100)}`;
}

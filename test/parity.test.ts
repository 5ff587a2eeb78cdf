/** One list of requests, one digest: in process, over fetch, through MSW 2 and 3, and over HTTP (invariant R4). */

import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { createSimulator, type SimulatorOptions } from "../src/index.ts";
import { startServer } from "../src/server.ts";
import { listeners } from "./msw-versions.ts";
import {
  otherForm,
  parityOptions,
  type RecordedRequest,
  recordRequests,
} from "./parity-requests.ts";

/** What belongs to a connection and not to an answer. */
const transportHeaders = ["connection", "keep-alive", "transfer-encoding"];

test("the list is answered with every status but 409, and a missing answer changes the digest", () => {
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

const worlds = { "the defaults": parityOptions, "another form of answers": otherForm };

describe.each(Object.entries(worlds))("under %s", (_, options) => {
  const requests = recordRequests(options);
  const same = (answers: readonly string[]): void => expectSameAnswers(options, requests, answers);

  test("fetch answers as the simulator in process does", async () => {
    const sim = createSimulator(options);
    same(await playOver(requests, sim.fetch, "https://parity.invalid"));
  });

  test.each(["MSW 2", "MSW 3"] as const)(
    "%s answers as the simulator in process does",
    async (version) => {
      const baseUrl = "https://parity.invalid/prefix";
      const close = listeners[version](createSimulator(options), baseUrl);
      try {
        same(await playOver(requests, fetch, baseUrl));
      } finally {
        close();
      }
    },
  );

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

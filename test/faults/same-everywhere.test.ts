/** The same requests under the same rules: the same rules fire at the same requests on every transport (R4). */

import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { type ApiResponse, createSimulator, type Simulator } from "../../src/index.ts";
import { startServer } from "../../src/server.ts";
import { listeners } from "../msw-versions.ts";
import { parityOptions, recordRequests } from "../parity-requests.ts";
import { patienceFor, type Watched } from "./cases.ts";
import { type Observe, observeFetch } from "./observe.ts";
import { plan } from "./plan.ts";

/** Headers that belong to a connection and not to an answer. */
const transportHeaders = ["connection", "keep-alive", "transfer-encoding"];

const options = { ...parityOptions, faults: plan };
/** Every other request is enough. */
const requests = recordRequests(parityOptions).filter((_, index) => index % 2 === 0);
const expected = describedInProcess();

test("every rule of the plan fires at some of the requests", () => {
  const { sim } = expected;
  expect(requests.length).toBeGreaterThan(100);
  expect(sim.faults.list().map(({ id, fired }) => [id, fired > 0])).toEqual(
    plan.map(({ id }) => [id, true]),
  );
  expect(digest(expected.lines)).not.toBe(digest(expected.lines.slice(1)));
});

test("sim.fetch shows what `handle` describes", async () => {
  const sim = createSimulator(options);
  expectSame(await play(observeFetch(sim.fetch), sim, "https://same.invalid"));
});

test("HTTP shows the same", async () => {
  const server = await startServer({ ...options, port: 0 });
  try {
    const sim = server.worlds.get("default");
    expectSame(await play(observeFetch(fetch), sim, server.url));
  } finally {
    await server.close();
  }
});

test.each(["MSW 2", "MSW 3"] as const)("%s shows the same", async (version) => {
  const sim = createSimulator(options);
  const close = listeners[version](sim, "https://same.invalid");
  try {
    expectSame(await play(observeFetch(fetch), sim, "https://same.invalid"));
  } finally {
    close();
  }
});

interface Played {
  readonly sim: Watched;
  /** What the client saw, one line for each request. */
  readonly lines: readonly string[];
}

/** What the client will see according to `handle`. */
function describedInProcess(): Played & { readonly sim: Simulator } {
  const sim = createSimulator(options);
  const lines = requests.map(({ target, ...request }) => {
    return described(sim.handle({ ...request, path: target }));
  });
  return { sim, lines };
}

function described({ status, headers, body, delivery }: ApiResponse): string {
  const pairs = Object.entries(headers);
  switch (delivery?.kind) {
    case "silence":
      return "silence";
    case "close":
    case "reset":
    case "noise":
      return "nothing";
    case "cut":
      return line(status, pairs, Buffer.from(delivery.bytes), "broken off");
    case "bytes":
      return line(status, pairs, Buffer.from(delivery.bytes));
    case "whole":
    case "overtaken":
    case "drip":
    case undefined:
      return line(status, pairs, Buffer.from(body));
  }
}

async function play(observe: Observe, sim: Watched, baseUrl: string): Promise<Played> {
  const lines: string[] = [];
  for (const [index, { method, target, headers, body }] of requests.entries()) {
    // Without a delay the client need not look at its clock.
    const patience = expected.lines[index] === "silence" ? patienceFor(sim) : undefined;
    const seen = await observe({ url: `${baseUrl}${target}`, method, headers, body, patience });
    if (seen.status !== undefined) {
      const end = seen.failure === undefined ? undefined : "broken off";
      lines.push(line(seen.status, Object.entries(seen.headers), seen.body, end));
    } else {
      lines.push(/abort|impatient/i.test(seen.failure ?? "") ? "silence" : "nothing");
    }
  }
  return { sim, lines };
}

function line(
  status: number,
  headers: readonly (readonly [string, string])[],
  body: Buffer,
  end = "whole",
): string {
  const compared = headers
    .map(([name, value]) => `${name.toLowerCase()}: ${value}`)
    .filter((header) => !transportHeaders.includes(header.split(":")[0] ?? ""))
    .sort();
  return [status, ...compared, body.toString("latin1"), end].join("\n");
}

function digest(lines: readonly string[]): string {
  return createHash("sha256").update(lines.join("\0")).digest("hex");
}

/** Which rule did what to which request, and the outcome. */
function decisions({ journal }: Watched): unknown[] {
  return journal
    .entries()
    .map(({ sequence, operation, publisher, response, producedBy, fault, reason }) => ({
      ...{ sequence, operation, publisher, response, producedBy, fault, reason },
    }));
}

/** Names the first request with a different answer, then compares the digests and the journals. */
function expectSame({ sim, lines }: Played): void {
  for (const [index, { method, target }] of requests.entries()) {
    const name = `request ${index}: ${method} ${target.slice(0, 100)}`;
    expect(lines[index], name).toBe(expected.lines[index]);
  }
  expect(digest(lines)).toBe(digest(expected.lines));
  expect(decisions(sim)).toEqual(decisions(expected.sim));
  expect(sim.faults.list()).toEqual(expected.sim.faults.list());
}

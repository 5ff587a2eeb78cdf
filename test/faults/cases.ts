/** Every verdict with what each client sees of it, and comparisons for whole and cut answers. */

import { expect, vi } from "vitest";
import type { FaultRule } from "../../src/faults/rule.ts";
import type { Simulator } from "../../src/index.ts";
import type { Observe, Patience, Seen, Sent } from "./observe.ts";

export type Verdict = FaultRule["verdict"];

/** A simulator and its base URL while a client is observed. */
export type Watched = Pick<Simulator, "faults" | "journal" | "publishers">;

/** The outcome of a verdict. Each client reports each manner differently. */
export type Manner =
  | "whole"
  | "injected"
  | "wrong"
  | "bodiless"
  | "closed"
  | "reset"
  | "silent"
  | "half"
  | "head"
  | "garbage"
  | "noise";

export interface Case {
  readonly verdict: Verdict;
  readonly manner: Manner;
  /** How often the service handles the request, with its journal entries. */
  readonly served: readonly boolean[];
}

const injected = {
  kind: "respond",
  status: 503,
  headers: { "Retry-After": "7" },
  body: { error: "busy" },
} as const;

export const cases: readonly Case[] = [
  { verdict: { kind: "delay", delay: 60 }, manner: "whole", served: [true] },
  { verdict: injected, manner: "injected", served: [false] },
  { verdict: { ...injected, applied: true }, manner: "injected", served: [true] },
  { verdict: { ...injected, delay: 60 }, manner: "injected", served: [false] },
  { verdict: { kind: "drop" }, manner: "closed", served: [false] },
  { verdict: { kind: "drop", as: "reset" }, manner: "reset", served: [false] },
  { verdict: { kind: "drop", as: "silence" }, manner: "silent", served: [false] },
  { verdict: { kind: "lose-response" }, manner: "closed", served: [true] },
  { verdict: { kind: "lose-response", delay: 60 }, manner: "closed", served: [true] },
  { verdict: { kind: "lose-response", as: "reset" }, manner: "reset", served: [true] },
  { verdict: { kind: "lose-response", as: "silence" }, manner: "silent", served: [true] },
  { verdict: { kind: "timeout" }, manner: "silent", served: [false] },
  { verdict: { kind: "reset" }, manner: "reset", served: [false] },
  { verdict: { kind: "reset", delay: 60 }, manner: "reset", served: [false] },
  { verdict: { kind: "empty" }, manner: "closed", served: [false] },
  { verdict: { kind: "truncate", share: 0.5 }, manner: "half", served: [true] },
  { verdict: { kind: "truncate", share: 0.5, delay: 60 }, manner: "half", served: [true] },
  { verdict: { kind: "truncate", atByte: 0 }, manner: "head", served: [true] },
  { verdict: { kind: "garbage" }, manner: "garbage", served: [true] },
  { verdict: { kind: "garbage", as: "response" }, manner: "noise", served: [true] },
  { verdict: { kind: "wrong-body", wrong: "null-id" }, manner: "wrong", served: [true] },
  { verdict: { kind: "wrong-body", wrong: "null-id", delay: 60 }, manner: "wrong", served: [true] },
  // A read is carried out in any case.
  {
    verdict: { kind: "wrong-body", wrong: "null-id", applied: false },
    manner: "wrong",
    served: [true],
  },
  { verdict: { kind: "wrong-body", wrong: "status-204" }, manner: "bodiless", served: [true] },
  { verdict: { kind: "drip", bytesPerSecond: 4000 }, manner: "whole", served: [true] },
  { verdict: { kind: "duplicate" }, manner: "whole", served: [true, true] },
  { verdict: { kind: "reorder", atMost: 60 }, manner: "whole", served: [true] },
];

/** Describes a verdict in a test's title. */
export function nameOf({ verdict }: Case): string {
  return JSON.stringify(verdict);
}

/** A request whose answer has a few hundred bytes. */
export function listing({ publishers }: Watched, baseUrl: string): Sent {
  const { id, apiKey } = publishers.at(0);
  const url = `${baseUrl}/v1/publisher/surfaces?publisher_id=${id}`;
  return { url, headers: { authorization: `Bearer ${apiKey}` } };
}

/** A request that credits money if it is served. */
export function impression({ publishers }: Watched, baseUrl: string): Sent {
  const { id, apiKey, surfaces } = publishers.at(0);
  const body = JSON.stringify({ publisher_id: id, surface: surfaces[0]?.id, ad_id: "ad" });
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
  return { url: `${baseUrl}/v1/impression`, method: "POST", headers, body };
}

/** Waits until the next request was handled, and a moment longer, so that an answer has time to arrive. */
export function patienceFor({ journal }: Watched): Patience {
  const before = journal.total;
  const handled = vi.waitUntil(() => journal.total > before, { timeout: 20_000, interval: 5 });
  const until = handled.then(() => new Promise((resolve) => setTimeout(resolve, MOMENT_MS)));
  return { until, ms: 1000 };
}

const MOMENT_MS = 60;

/** Part of every wording: in these manners no client fails. */
export const content = {
  whole: undefined,
  injected: undefined,
  wrong: undefined,
  bodiless: undefined,
  garbage: undefined,
} as const;

/** How a client words the failure of each manner; `undefined` if it is none. */
export type Wording = Readonly<Record<Manner, RegExp | undefined>>;

/** Compares what a client saw with the answer that it would get without a rule. */
function expectSeen(seen: Seen, { manner }: Case, whole: Seen, wording: Wording): void {
  const wanted = wording[manner];
  const advice = `for "${manner}" the client's wording is ${wanted}; put its own words there if they are right`;
  if (wanted === undefined) expect(seen.failure, advice).toBeUndefined();
  else expect(seen.failure, advice).toMatch(wanted);
  const { length } = whole.body;
  switch (manner) {
    case "whole":
      expect(seen.status).toBe(200);
      expect(seen.body.equals(whole.body)).toBe(true);
      return;
    case "injected":
      expect(seen.status).toBe(503);
      expect(seen.headers["retry-after"]).toBe("7");
      expect(seen.headers["x-ratelimit-remaining"]).toMatch(/^\d+$/);
      expect(seen.body.toString()).toBe('{"error":"busy"}');
      return;
    case "wrong": {
      expect(seen.status).toBe(200);
      expect(seen.headers["content-length"]).toBe(String(seen.body.length));
      const nulled = whole.body.toString().replaceAll(/"id":"[^"]*"/g, '"id":null');
      expect(nulled).not.toBe(whole.body.toString());
      expect(seen.body.toString()).toBe(nulled);
      return;
    }
    case "bodiless":
      expect(seen.status).toBe(204);
      expect(seen.headers["x-ratelimit-remaining"]).toMatch(/^\d+$/);
      expect(seen.body.length).toBe(0);
      return;
    case "half":
    case "head":
      expect(seen.status).toBe(200);
      expect(seen.headers["content-length"]).toBe(String(length));
      expect(seen.body.length).toBe(manner === "half" ? Math.floor(length / 2) : 0);
      expect(whole.body.subarray(0, seen.body.length).equals(seen.body)).toBe(true);
      return;
    case "garbage":
      expect(seen.status).toBe(200);
      expect(seen.headers["content-type"]).toBe("application/json");
      expect(seen.body.length).toBe(length);
      expect(seen.body[0]).toBe(0xff);
      return;
    case "closed":
    case "reset":
    case "silent":
    case "noise":
      expect(seen.status).toBeUndefined();
      expect(seen.body.length).toBe(0);
      return;
    default:
      manner satisfies never;
  }
}

/** How much of an answer the client got, according to the journal. */
const receivedOf: Readonly<Record<Manner, "whole" | "part" | "nothing">> = {
  whole: "whole",
  injected: "whole",
  wrong: "whole",
  bodiless: "whole",
  closed: "nothing",
  reset: "nothing",
  silent: "nothing",
  half: "part",
  head: "part",
  garbage: "part",
  noise: "nothing",
};

/** Compares the journal entry of a request with what a rule should have done to it. */
function expectJournalled({ journal }: Watched, { verdict, manner, served }: Case): void {
  const faults = journal.entries().map(({ fault }) => fault);
  const [first, ...copies] = faults;
  expect(faults.map((fault) => fault?.served)).toEqual(served);
  expect(first).toMatchObject({ kind: verdict.kind, received: receivedOf[manner] });
  expect(copies.map((fault) => fault?.received)).toEqual(served.slice(1).map(() => "nothing"));
}

/** A client, with a fresh simulator and its base URL. */
export interface Connected {
  readonly observe: Observe;
  readonly sim: Watched;
  readonly baseUrl: string;
}

/** Expects a client to see what a verdict does to one request, and the journal to record it. */
export async function expectShown(
  { observe, sim, baseUrl }: Connected,
  one: Case,
  wording: Wording,
): Promise<void> {
  const whole = await observe(listing(sim, baseUrl));
  sim.journal.clear();
  sim.faults.add({ verdict: one.verdict });
  const patience = one.manner === "silent" ? patienceFor(sim) : undefined;
  const began = performance.now();
  const seen = await observe({ ...listing(sim, baseUrl), patience });
  const tookMs = performance.now() - began;
  expectSeen(seen, one, whole, wording);
  expectJournalled(sim, one);
  const { kind, delay } = one.verdict;
  // A timer may fire early by a fraction of a millisecond.
  if (delay !== undefined || kind === "reorder") expect(tookMs).toBeGreaterThan(58);
  if (one.verdict.kind === "drip") {
    const pieces = Math.ceil(whole.body.length / (one.verdict.bytesPerSecond / 20));
    expect(tookMs).toBeGreaterThan(pieces * 48);
    expect(seen.pieces ?? pieces).toBeGreaterThan(1);
  }
}

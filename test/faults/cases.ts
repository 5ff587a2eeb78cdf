/** Every verdict, and how to show what becomes of a request under it. Runs in Node and in a page. */

import type { FaultRule } from "../../src/faults/rule.ts";
import type { JournalFault, Simulator } from "../../src/index.ts";
import type { Patience, Sent } from "./observe-fetch.ts";

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

/** The first of each kind and of each manner, for clients that get what others get. */
export const fewCases: readonly Case[] = cases.filter(({ verdict: { kind }, manner }, at) => {
  const earlier = cases.slice(0, at);
  const isFirst = (is: (one: Case) => boolean): boolean => !earlier.some(is);
  return isFirst((one) => one.verdict.kind === kind) || isFirst((one) => one.manner === manner);
});

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
  const handled = journal.waitFor({ after: before }, 1, { signal: AbortSignal.timeout(20_000) });
  // After the moment the process reads what has come meanwhile: it may have been busy.
  const until = handled.then(() => pause(MOMENT_MS)).then(() => pause(0));
  return { until, ms: 1000 };
}

const MOMENT_MS = 60;

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/** A client, with a fresh simulator and its base URL. */
export interface Connected<Seen> {
  readonly observe: (sent: Sent) => Promise<Seen>;
  readonly sim: Watched;
  readonly baseUrl: string;
}

/** What a verdict did to one request. */
export interface Shown<Seen> {
  readonly seen: Seen;
  readonly tookMs: number;
  /** What the client saw of the same request before there was a rule. */
  readonly whole: Seen;
  /** Of the request's entries in the journal. */
  readonly faults: readonly (JournalFault | undefined)[];
}

export async function show<Seen>(
  { observe, sim, baseUrl }: Connected<Seen>,
  { verdict, manner }: Case,
): Promise<Shown<Seen>> {
  const whole = await observe(listing(sim, baseUrl));
  sim.journal.clear();
  sim.faults.add({ verdict });
  const patience = manner === "silent" ? patienceFor(sim) : undefined;
  const began = performance.now();
  const seen = await observe({ ...listing(sim, baseUrl), patience });
  const tookMs = performance.now() - began;
  return { seen, tookMs, whole, faults: sim.journal.entries().map(({ fault }) => fault) };
}

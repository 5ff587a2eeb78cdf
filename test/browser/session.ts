/** One client's session, which is the same whichever way its requests go, and what the journal then says of it. */

import { createClient } from "../../src/client.ts";
import type { FaultRule, JournalEntry, Simulator, SimulatorOptions } from "../../src/index.ts";

/** Without `truncate`, of which a routed page gets nothing. Waiting for an answer that never comes would take too long. */
const faults: readonly FaultRule[] = [
  { id: "slow", match: { share: 0.08 }, verdict: { kind: "delay", delay: { from: 1, to: 4 } } },
  {
    id: "busy",
    match: { operation: "stats", every: 4 },
    verdict: { kind: "respond", status: 503, headers: { "Retry-After": "3" }, body: { busy: "☃" } },
  },
  {
    id: "lied",
    match: { operation: ["impression", "click"], nth: [4, 9] },
    verdict: { kind: "respond", status: 500, body: "oops", applied: true },
  },
  { id: "dropped", match: { share: 0.05 }, verdict: { kind: "drop" } },
  { id: "lost", match: { operation: "impression", every: 5 }, verdict: { kind: "lose-response" } },
  { id: "twice", match: { operation: "impression", every: 3 }, verdict: { kind: "duplicate" } },
  {
    id: "second",
    match: { operation: "click", nth: 2 },
    verdict: { kind: "duplicate", answer: "second" },
  },
  { id: "noise", match: { share: 0.06, per: "world" }, verdict: { kind: "garbage", delay: 1 } },
  { id: "wrong", match: { every: 7 }, verdict: { kind: "wrong-body", wrong: "null-id" } },
  {
    id: "unconfirmed",
    match: { operation: "impression", nth: [7, 8, 11, 13, 16] },
    verdict: { kind: "wrong-body", wrong: "ok-false", applied: false },
  },
  { id: "slowly", match: { every: 10 }, verdict: { kind: "drip", bytesPerSecond: 100_000 } },
  { id: "closed", match: { every: 9 }, verdict: { kind: "empty" } },
  { id: "passed", match: { every: 8 }, verdict: { kind: "reorder", atMost: 2 } },
];

export const sessionOptions: SimulatorOptions = {
  seed: "session",
  publishers: 3,
  cors: "*",
  faults,
};

export interface Service {
  readonly baseUrl: string;
  readonly fetch: typeof globalThis.fetch;
  readonly apiKey: string;
  readonly publisherId: string;
  readonly surfaceId: string;
  /** Moves the world's clock. */
  advance(by: string): unknown;
}

/** Its requests come one after the other, in this order. Rules answer, lose and delay some of them. */
export async function playSession(service: Service): Promise<void> {
  const { baseUrl, fetch, apiKey, publisherId, surfaceId, advance } = service;
  const client = createClient({ baseUrl, fetch, apiKey });
  const stranger = createClient({ baseUrl, fetch, apiKey: "key_unknown" });
  const publisher = { publisher_id: publisherId };
  for (let round = 0; round < ROUNDS; round += 1) {
    const event = { ...publisher, surface: surfaceId, ad_id: `ad-${round % 5}` };
    const shown = await client.impression({ ...event, session_id: `नमस्ते ${round % 9}` });
    if (shown.ok) await client.click({ impression_id: shown.value.impression_id });
    await client.click({ impression_id: "imp_unknown" });
    await client.stats({ ...publisher, from: "2026-01-01", to: "2026-01-31" });
    await client.surfaces(publisher);
    await client.payouts({ ...publisher, limit: round });
    await stranger.surfaces(publisher);
    await advance(round === 8 ? "36h" : "10s");
  }
}

const ROUNDS = 12;

/** Of all headers of a request, those that the client sets. Each kind of fetch adds others of its own. */
const clientHeaders = ["authorization", "content-type"];

/**
 * The journal without what depends on the way: request headers that the client didn't set, and the CORS headers of answers,
 * which only pages get.
 */
export function journalLines(entries: readonly JournalEntry[]): string[] {
  return entries.map((entry) => {
    const { request, response, assumptions, fault } = entry;
    return JSON.stringify({
      ...entry,
      request: {
        ...request,
        headers: only(request.headers, (name) => clientHeaders.includes(name)),
      },
      response: withoutCors(response),
      fault: fault && { ...fault, lost: fault.lost && withoutCors(fault.lost) },
      assumptions: shapedBy(assumptions),
    });
  });
}

function withoutCors<Answer extends { readonly headers: Headers }>(answer: Answer): Answer {
  const headers = only(answer.headers, (name) => !name.startsWith("access-control-"));
  return { ...answer, headers };
}

type Headers = Readonly<Record<string, string>>;

function only(headers: Headers, isKept: (name: string) => boolean): Headers {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => isKept(name)));
}

/** The CORS headers aren't compared, so the choice that shapes them isn't either. */
function shapedBy(keys: JournalEntry["assumptions"]): JournalEntry["assumptions"] {
  if (keys === "documented") return keys;
  const others = keys.filter((key) => key !== "http.cors");
  return others.length === 0 ? "documented" : others;
}

/** Whom the client speaks for. */
export function serviceOf({
  publishers,
  clock,
}: Pick<Simulator, "publishers" | "clock">): Omit<Service, "baseUrl" | "fetch"> {
  const { id, apiKey, surfaces } = publishers.at(0);
  const surfaceId = surfaces[0]?.id ?? "";
  return { apiKey, publisherId: id, surfaceId, advance: (by) => clock.advance(by) };
}

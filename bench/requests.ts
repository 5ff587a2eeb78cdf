/** What the benchmarks over HTTP ask: impressions and stats of publishers who take turns. */

import { createSimulator } from "../src/index.ts";

export type Kind = "impression" | "stats";

export const SEED = "bench";
export const POPULATION = 1_000_000;
/** Those who take turns have so many each. */
const SURFACES = 4;

/**
 * How many publishers take turns. Each run lasts a second, and the clock moves by a minute before it: so 250,000 impressions a
 * second are within the limits, and 48,000 questions for stats. Adsim keeps the histories of 1,024 publishers.
 */
const CALLERS = { impression: 25, stats: 800 } as const;

interface Request {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

const callers = createSimulator({ seed: SEED, publishers: POPULATION })
  .publishers.credentials(10 * CALLERS.stats)
  .filter(({ surfaces }) => surfaces.length === SURFACES);

/** Takes the place of the session, which is another one each time. */
const NO_SESSION = "session-000000000";
let sessions = 0;

const requests = {
  impression: callers.slice(0, CALLERS.impression).map(({ id, apiKey, surfaces }): Request => {
    const shown = { publisher_id: id, surface: surfaces[0]?.id, ad_id: "ad-1" };
    return {
      method: "POST",
      path: "/v1/impression",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ ...shown, session_id: NO_SESSION }),
    };
  }),
  stats: callers.slice(0, CALLERS.stats).map(({ id, apiKey }): Request => {
    const path = `/v1/publisher/stats?publisher_id=${id}`;
    return { method: "GET", path, headers: { authorization: `Bearer ${apiKey}` } };
  }),
} as const satisfies Record<Kind, readonly Request[]>;

/** Gives one request after the other, as they go over the wire. No impression repeats another. */
export function requestsOf(kind: Kind): () => string {
  const texts = requests[kind].map(({ method, path, headers, body = "" }) => {
    const all = { host: "127.0.0.1", ...headers, ...(body && { "content-length": body.length }) };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    return `${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`;
  });
  let sent = 0;
  return () => {
    const text = texts[sent % texts.length] ?? "";
    sent += 1;
    if (kind === "stats") return text;
    sessions += 1;
    return text.replace(NO_SESSION, `session-${String(sessions).padStart(9, "0")}`);
  };
}

export interface Answer {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type Answers = Readonly<Record<Kind, Answer>>;

/** A server's answer to one request of each kind. @throws Error unless it is a success. */
export async function sampleAnswers(port: number): Promise<Answers> {
  const answerTo = async ({ path, ...init }: Request): Promise<Answer> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
    const body = await response.text();
    if (!response.ok) throw new Error(`${path} was answered with ${response.status}: ${body}`);
    return { headers: Object.fromEntries(response.headers), body };
  };
  const [impression, stats] = [requests.impression[0], requests.stats[0]];
  if (impression === undefined || stats === undefined) throw new Error("There are no publishers.");
  return { impression: await answerTo(impression), stats: await answerTo(stats) };
}

/** The servers of the benchmarks over HTTP: adsim as built, a bare one that gives the same bytes, and what a load makes of them. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createSimulator } from "../src/index.ts";
import { type Caller, type Kind, requestsPerSecond } from "./load.ts";
import { processorSeconds, root, temporary } from "./measure.ts";

/** A run is short: what disturbs the machine for a moment is felt by a few of them. */
export const SECONDS = 1;
/** A server that works for less of its core's time isn't what was measured. */
export const SATURATED = 0.9;
const SURFACES = 4;
const POPULATION = 1_000_000;
const SEED = "bench";

/**
 * How many keys take turns. Each connection goes through all of them, and the clock moves by a minute before each run: so a key
 * has at most 32 reports a minute, of the 60 that it may have, below 128,000 a second.
 */
const CALLERS = { impression: 25, stats: 4000 } as const;

export function adsimArgs(port: number): string[] {
  const population = ["--seed", SEED, "--publishers", String(POPULATION)];
  return [join(root, "dist/cli/main.js"), "serve", "--port", String(port), ...population];
}

export function bareArgs(port: number, { file }: Given): string[] {
  return [join(root, "bench/bare-server.mjs"), String(port), file];
}

/** The first publishers with so many surfaces. */
export function findCallers(): readonly [Caller, ...Caller[]] {
  const sim = createSimulator({ seed: SEED, publishers: POPULATION });
  const callers: Caller[] = [];
  const wanted = Math.max(...Object.values(CALLERS));
  for (let count = wanted; callers.length < wanted; count *= 2) {
    callers.length = 0;
    for (const { id, apiKey, surfaces } of sim.publishers.credentials(count)) {
      const [first] = surfaces;
      if (surfaces.length !== SURFACES || first === undefined) continue;
      callers.push({ id, apiKey, surface: first.id });
    }
  }
  const [first, ...others] = callers.slice(0, wanted);
  if (first === undefined) throw new Error("No publisher found.");
  return [first, ...others];
}

interface Answer {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
/** To an impression and to a question for stats. */
export type Answers = Readonly<Record<"post" | "get", Answer>>;

/** One answer to each kind of request, without the time of day. */
export async function sampleAnswers(port: number, caller: Caller): Promise<Answers> {
  const url = `http://127.0.0.1:${port}/v1`;
  const authorization = `Bearer ${caller.apiKey}`;
  const answer = async (path: string, init: RequestInit): Promise<Answer> => {
    const response = await fetch(`${url}${path}`, init);
    const body = await response.text();
    // To some tools a recorded impression is one that was created.
    if (response.status !== 200 && response.status !== 201) {
      throw new Error(`${path} was answered with ${response.status}: ${body}`);
    }
    const { date: _, ...headers } = Object.fromEntries(response.headers);
    return { headers, body };
  };
  const shown = { publisher_id: caller.id, surface: caller.surface, ad_id: "ad-1" };
  const post = await answer("/impression", {
    method: "POST",
    headers: { authorization, "content-type": "application/json" },
    // A session, so that whoever asks adsim twice gets the same answers.
    body: JSON.stringify({ ...shown, session_id: "sample" }),
  });
  const get = await answer(`/publisher/stats?publisher_id=${caller.id}`, {
    headers: { authorization },
  });
  return { post, get };
}

/** What other servers are to answer, and the file where they find it. */
export interface Given {
  readonly answers: Answers;
  readonly file: string;
}

/** An answer of ours, save for the header that Node adds itself. */
export function give({ post, get }: Answers): Given {
  const fixed = ({ headers: { connection: _, ...headers }, body }: Answer): Answer => {
    return { headers, body };
  };
  const answers = { post: fixed(post), get: fixed(get) };
  const file = join(temporary, `adsim-bench-${process.pid}-answers.json`);
  writeFileSync(file, JSON.stringify(answers));
  return { answers, file };
}

/** Each run begins with the first caller again: what was spent in the run before must be forgotten. */
export async function advanceClock(port: number): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/_sim/clock/advance`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"by":"1m"}',
  });
  if (response.status !== 200) throw new Error(`The clock was moved with ${response.status}.`);
  await response.arrayBuffer();
}

/** One run: requests a second, and the server's processor time for one, in µs. */
export interface Run {
  readonly rate: number;
  readonly cost: number;
  /** How much of its core the server used. Well below 1 it wasn't the server that set the pace. */
  readonly busy: number;
}

/** Puts a server under load for a moment. */
export async function runLoad(
  kind: Kind,
  { port, pid }: { readonly port: number; readonly pid: number | undefined },
  callers: readonly Caller[],
): Promise<Run> {
  const before = processorSeconds(pid) ?? Number.NaN;
  const load = { port, kind, seconds: SECONDS, callers: callers.slice(0, CALLERS[kind]) };
  const rate = await requestsPerSecond(load);
  const seconds = (processorSeconds(pid) ?? Number.NaN) - before;
  return { rate, cost: (seconds * 1e6) / (rate * SECONDS), busy: seconds / SECONDS };
}

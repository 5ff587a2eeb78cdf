/**
 * Impressions through `sim.handle`, on one core and the full path, compared with a loop that only parses the same bodies.
 * Each in a process of its own, taking turns, so the garbage of one is never collected in the time of another. Then what a day with
 * 10 million impressions costs in memory.
 */

import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { type ApiRequest, createSimulator, type Simulator } from "../src/index.ts";
import { printFigure, printMachine, startNode, stop } from "./measure.ts";

const PUBLISHERS = 25;
/** Short enough to fall between disturbances. Some turns collect more than others: only sums over many mean anything. */
const TURN_REQUESTS = 10_000;
const TURNS = 500;
/** Turns that aren't counted, until the engine has optimised the code. */
const WARM_UP = 50;

const kinds = ["parsing", "journalled", "bare"] as const;
type Kind = (typeof kinds)[number];
type Turns = Readonly<Record<Kind, number[]>>;

/** What sends one impression after the other, each in a session of its own: so none is a duplicate. */
function impressionsIn(sim: Simulator): () => ApiRequest {
  const callers = sim.publishers.credentials(PUBLISHERS).map(({ id, apiKey, surfaces }) => ({
    shown: { publisher_id: id, surface: surfaces[0]?.id },
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
  }));
  let sent = 0;
  return () => {
    const { shown, headers } = callers[sent % PUBLISHERS] ?? {};
    const body = { ...shown, ad_id: `ad-${sent % 50}`, session_id: `session-${sent}` };
    sent += 1;
    return { method: "POST", path: "/v1/impression", headers, body: JSON.stringify(body) };
  };
}

function handle(sim: Simulator, request: ApiRequest): void {
  const { status } = sim.handle(request);
  if (status !== 200) throw new Error(`An impression was answered with ${status}.`);
}

function parse(_: Simulator, { body }: ApiRequest): void {
  const { ad_id } = JSON.parse(String(body)) as { ad_id: unknown };
  if (typeof ad_id !== "string") throw new Error("A body is not as it was made.");
}

/** In a process of its own: a turn for each message, answered with the milliseconds that it took. */
function takePart(kind: Kind): void {
  const journalEntries = kind === "journalled" ? 10_000 : 0;
  const sim = createSimulator({ seed: "bench", publishers: PUBLISHERS, journalEntries });
  const next = impressionsIn(sim);
  const work = kind === "parsing" ? parse : handle;
  process.on("message", () => {
    // De-duplication remembers the sessions of ten turns.
    sim.clock.advance("3m");
    const requests = Array.from({ length: TURN_REQUESTS }, next);
    const begin = performance.now();
    for (const request of requests) work(sim, request);
    process.send?.(performance.now() - begin);
  });
}

async function turnOf(child: ChildProcess): Promise<number> {
  const answered = once(child, "message") as Promise<[number]>;
  child.send("turn");
  const [ms] = await answered;
  return ms;
}

async function compare(): Promise<Turns> {
  const turns: Turns = { parsing: [], journalled: [], bare: [] };
  const children = kinds.map((kind) => {
    const stdio = ["ignore", "inherit", "inherit", "ipc"] as const;
    return { kind, child: startNode([import.meta.filename, kind], { stdio: [...stdio] }) };
  });
  for (let turn = -WARM_UP; turn < TURNS; turn += 1) {
    for (const { kind, child } of children) {
      const ms = await turnOf(child);
      if (turn >= 0) turns[kind].push(ms);
    }
  }
  for (const { child } of children) await stop(child);
  return turns;
}

function reportSpeed(turns: Turns): void {
  const rateOf = (kind: Kind): number =>
    (TURN_REQUESTS * TURNS * 1000) / turns[kind].reduce((sum, ms) => sum + ms, 0);
  const print = (name: string, kind: Kind): void =>
    printFigure({ name, value: rateOf(kind), unit: "a second" });
  print("JSON.parse of the body alone", "parsing");
  print("sim.handle, impressions, with the journal", "journalled");
  print("sim.handle, impressions, journal off", "bare");
  const value = rateOf("bare") / rateOf("parsing");
  printFigure({ name: "journal off, share of parsing alone", value, unit: "×", atLeast: 0.1 });
}

const IMPRESSIONS = 10_000_000;

function usedBytes(): number {
  if (globalThis.gc === undefined) throw new Error("Run it with: node --expose-gc bench/core.ts");
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  // `external` holds the array buffers.
  return heapUsed + external;
}

function reportMemory(): void {
  const sim = createSimulator({ seed: "bench", publishers: PUBLISHERS, journalEntries: 0 });
  const next = impressionsIn(sim);
  function send(count: number): void {
    for (let sent = 1; sent <= count; sent += 1) {
      handle(sim, next());
      // A day, evenly.
      if (sent % 1000 === 0) sim.clock.advance((24 * 3_600_000 * 1000) / IMPRESSIONS);
    }
  }
  // Opens every account.
  send(200_000);
  const before = usedBytes();
  send(IMPRESSIONS);
  const value = (usedBytes() - before) / 1e6;
  const name = "memory of 10 million impressions in a day";
  printFigure({ name, value, unit: "MB", atMost: 320 });
}

const [part] = process.argv.slice(2);
if (part === undefined) {
  printMachine();
  reportSpeed(await compare());
  reportMemory();
} else takePart(part as Kind);

/**
 * Impressions through `sim.handle`, on one core and the full path, compared with a loop that only parses the same bodies.
 * Each in a process of its own, taking turns: what one of them leaves to collect is no cost of another. Work that helper
 * threads do after a turn falls into a turn of parsing that isn't counted. Then what a large population costs at the start, and
 * what a day with 10 million impressions costs in memory.
 */

import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { type ApiRequest, createSimulator, type Simulator } from "../src/index.ts";
import { median, parseBody, printFigure, printMachine, spawnOn, stop, timed } from "./measure.ts";

const PUBLISHERS = 25;
/** In one pass over them de-duplication remembers all; the next begins with none. */
const PASS_REQUESTS = 100_000;
/** Short enough to fall between disturbances. Some turns collect more than others: only sums over many mean anything. */
const TURN_REQUESTS = 10_000;
/** How many of them go first and aren't timed: they bring back what the other processes drove out of the caches. */
const UNTIMED = 2000;
/** Handled without a pause: the bodies of so many stay in a core's own caches. */
const BATCH_REQUESTS = 250;
const TURNS = 500;
/** Until an engine has made fast code of it. */
const WARM_UP = 50;

/** What takes turns. `entries`: of the journal. `asText`: whether bodies are JSON text, or objects. */
const kinds = {
  floor: { entries: 0, asText: true },
  journalled: { entries: 10_000, asText: true },
  bare: { entries: 0, asText: true },
  objects: { entries: 0, asText: false },
} as const;
type Kind = keyof typeof kinds;
type Turns = Readonly<Record<Kind, number[]>>;

interface Prepared {
  readonly sim: Simulator;
  readonly requests: readonly ApiRequest[];
}

/** Requests with a session each, so that none is a duplicate; a pass through them begins with the clock moved out of the window. */
function prepare(kind: Kind): Prepared {
  const { entries, asText } = kinds[kind];
  const sim = createSimulator({ seed: "bench", publishers: PUBLISHERS, journalEntries: entries });
  const callers = sim.publishers.credentials(PUBLISHERS).map(({ id, apiKey, surfaces }) => ({
    id,
    surface: surfaces[0]?.id,
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
  }));
  const requests = Array.from({ length: PASS_REQUESTS }, (_, index): ApiRequest => {
    const caller = callers[index % PUBLISHERS];
    if (caller === undefined) throw new Error("There are fewer publishers than asked for.");
    const members = {
      publisher_id: caller.id,
      surface: caller.surface,
      ad_id: `ad-${index % 50}`,
      session_id: `session-${index}`,
    };
    const body = asText ? JSON.stringify(members) : members;
    return { method: "POST", path: "/v1/impression", headers: caller.headers, body };
  });
  return { sim, requests };
}

function handleAll(sim: Simulator, requests: readonly ApiRequest[]): void {
  for (const request of requests) {
    const { status } = sim.handle(request);
    if (status !== 200) throw new Error(`An impression was answered with ${status}.`);
  }
}

function parseAll(_sim: Simulator, requests: readonly ApiRequest[]): void {
  for (const { body } of requests) {
    if (typeof body === "string") parseBody(body);
    else if (Object(body).ad_id === undefined) throw new Error("A body is not as it was made.");
  }
}

/** In a process of its own: a turn for each message, answered with the milliseconds that it took. */
function takePart(kind: Kind): void {
  const { sim, requests } = prepare(kind);
  const work = kind === "floor" ? parseAll : handleAll;
  let next = 0;
  process.on("message", () => {
    if (next === 0) sim.clock.advance("31m");
    let ms = 0;
    for (let done = 0; done < TURN_REQUESTS; done += BATCH_REQUESTS) {
      const batch = requests.slice(next + done, next + done + BATCH_REQUESTS);
      // A client has just made what it sends: no body comes from memory that nobody looked at for long.
      parseAll(sim, batch);
      const batchMs = timed(() => work(sim, batch));
      if (done >= UNTIMED) ms += batchMs;
    }
    next = (next + TURN_REQUESTS) % PASS_REQUESTS;
    process.send?.(ms);
  });
}

function start(kind: Kind): ChildProcess {
  const stdio = ["ignore", "inherit", "inherit", "ipc"] as const;
  return spawnOn(0, process.execPath, [import.meta.filename, kind], { stdio: [...stdio] });
}

async function turnOf(child: ChildProcess): Promise<number> {
  const answered = once(child, "message") as Promise<[number]>;
  child.send("turn");
  const [ms] = await answered;
  return ms;
}

async function compare(): Promise<Turns> {
  const turns: Turns = { floor: [], journalled: [], bare: [], objects: [] };
  const children = (Object.keys(kinds) as Kind[]).map((kind) => ({ kind, child: start(kind) }));
  const settling = start("floor");
  for (let turn = -WARM_UP; turn < TURNS; turn += 1) {
    for (const { kind, child } of children) {
      await turnOf(settling);
      const ms = await turnOf(child);
      if (turn >= 0) turns[kind].push(ms);
    }
  }
  for (const child of [settling, ...children.map((one) => one.child)]) await stop(child);
  return turns;
}

/** Requests a second over these turns. */
function rateOf(turns: readonly number[]): number {
  return ((TURN_REQUESTS - UNTIMED) * turns.length * 1000) / turns.reduce((sum, ms) => sum + ms, 0);
}

function report(turns: Turns): void {
  const rate = (name: string, kind: Kind): void =>
    printFigure({ name, value: rateOf(turns[kind]), unit: "a second" });
  const share = (name: string, kind: Kind, atLeast?: number): void => {
    const value = rateOf(turns[kind]) / rateOf(turns.floor);
    printFigure({
      name: `${name}, share of parsing alone`,
      value,
      unit: "×",
      ...(atLeast === undefined ? {} : { atLeast }),
    });
  };
  printMachine();
  rate("JSON.parse of the body alone", "floor");
  rate("sim.handle, impressions, with the journal", "journalled");
  rate("sim.handle, impressions, journal off", "bare");
  rate("sim.handle, bodies as objects, journal off", "objects");
  share("with the journal", "journalled");
  share("journal off", "bare", 0.1);
  share("bodies as objects", "objects");
}

const WORLDS = 1500;

/** From nothing to the first answer, in milliseconds. */
function startOf(publishers: number, ordinal: number): number {
  const { apiKey } = createSimulator({ seed: "bench", publishers }).publishers.at(ordinal);
  return timed(() => {
    const sim = createSimulator({ seed: "bench", publishers });
    const headers = { authorization: `Bearer ${apiKey}` };
    const { status } = sim.handle({ method: "POST", path: "/v1/click", headers, body: "" });
    // The key was known, and the parameter is missing: the path was taken to its validation.
    if (status !== 400) throw new Error(`A click without parameters was answered with ${status}.`);
  });
}

function reportPopulation(): void {
  const small: number[] = [];
  const large: number[] = [];
  for (let round = 0; round < WORLDS; round += 1) {
    if (round % 2 === 0) small.push(startOf(1, 0));
    large.push(startOf(1_000_000, 999_999));
    if (round % 2 === 1) small.push(startOf(1, 0));
  }
  const value = median(large) / median(small);
  const name = "the first answer, world of 1,000,000 to one of 1";
  printFigure({ name, value, unit: "×", atMost: 1.2 });
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
  const sim = createSimulator({ seed: "bench", publishers: 100, journalEntries: 0 });
  const callers = sim.publishers.credentials(100);
  function send(count: number): void {
    for (let sent = 0; sent < count; sent += 1) {
      const { id, apiKey, surfaces } = callers[sent % callers.length] ?? {};
      const shown = { publisher_id: id, surface: surfaces?.[0]?.id, ad_id: "ad" };
      const headers = { authorization: `Bearer ${apiKey}` };
      const body = { ...shown, session_id: `s-${sent}` };
      const { status } = sim.handle({ method: "POST", path: "/v1/impression", headers, body });
      if (status !== 200) throw new Error(`An impression was answered with ${status}.`);
      // A day, evenly.
      if (sent % 1000 === 999) sim.clock.advance((24 * 3_600_000 * 1000) / IMPRESSIONS);
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
  report(await compare());
  reportPopulation();
  reportMemory();
} else takePart(part as Kind);

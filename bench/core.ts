/**
 * Impressions a second through `sim.handle`, on one core and the full path, beside a loop that only parses the bodies. Each
 * in a process of its own, taking turns: what one of them leaves to collect is no cost of another.
 *
 * Where the machine is shared, others slow it down by up to a half, for moments or for minutes. Turns around which parsing
 * took as little time as it ever does were left in peace; the figures are of those, and of all beside them.
 */

import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { type ApiRequest, createSimulator, type Simulator } from "../src/index.ts";
import { median, printFigure, printMachine, spawnOn, stop, timed } from "./measure.ts";

const REQUESTS = 100_000;
/** Long enough for each to have its share of what is collected, and short enough to fall between disturbances. */
const A_TURN = 10_000;
const PUBLISHERS = 25;
const TURNS = 400;
/** Until an engine has made fast code of it. */
const WARM_UP = 40;
/** How much longer than the fastest ones a turn of parsing takes at most where nobody disturbs. */
const IN_PEACE = 1.15;
/** Fewer turns in peace say nothing. */
const ENOUGH = 20;

const kinds = { floor: 0, journalled: 10_000, bare: 0 } as const;
type Kind = keyof typeof kinds;

interface Prepared {
  readonly sim: Simulator;
  readonly requests: readonly ApiRequest[];
}

/** Requests with a session each, so that none is a duplicate; a round begins with the clock moved out of the window. */
function prepare(journalEntries: number): Prepared {
  const sim = createSimulator({ seed: "bench", publishers: PUBLISHERS, journalEntries });
  const callers = sim.publishers.credentials(PUBLISHERS).map(({ id, apiKey, surfaces }) => ({
    id,
    surface: surfaces[0]?.id,
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
  }));
  const requests = Array.from({ length: REQUESTS }, (_, index): ApiRequest => {
    const caller = callers[index % PUBLISHERS];
    if (caller === undefined) throw new Error("There are fewer publishers than asked for.");
    const body = JSON.stringify({
      publisher_id: caller.id,
      surface: caller.surface,
      ad_id: `ad-${index % 50}`,
      session_id: `session-${index}`,
    });
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
    const parsed = JSON.parse(String(body)) as { ad_id: unknown };
    if (typeof parsed.ad_id !== "string") throw new Error("A body is not as it was made.");
  }
}

/** In a process of its own: a turn for each message, answered with the milliseconds that it took. */
function takePart(kind: Kind): void {
  const { sim, requests } = prepare(kinds[kind]);
  const work = kind === "floor" ? parseAll : handleAll;
  let next = 0;
  process.on("message", () => {
    if (next === 0) sim.clock.advance("31m");
    const turn = requests.slice(next, next + A_TURN);
    next = (next + A_TURN) % REQUESTS;
    process.send?.(timed(() => work(sim, turn)));
  });
}

async function turnOf(child: ChildProcess): Promise<number> {
  const answered = once(child, "message") as Promise<[number]>;
  child.send("turn");
  const [ms] = await answered;
  return ms;
}

type Turns = Record<Kind, readonly number[]>;

async function compare(): Promise<Turns> {
  const names = Object.keys(kinds) as Kind[];
  const parts = names.map((kind) => {
    const stdio = ["ignore", "inherit", "inherit", "ipc"] as const;
    const child = spawnOn(0, process.execPath, [import.meta.filename, kind], { stdio: [...stdio] });
    return { kind, child, turns: [] as number[] };
  });
  for (let turn = -WARM_UP; turn < TURNS; turn += 1) {
    for (const { child, turns } of parts) {
      const ms = await turnOf(child);
      if (turn >= 0) turns.push(ms);
    }
  }
  for (const { child } of parts) await stop(child);
  const turnsOf = (wanted: Kind): readonly number[] =>
    parts.find(({ kind }) => kind === wanted)?.turns ?? [];
  return { floor: turnsOf("floor"), journalled: turnsOf("journalled"), bare: turnsOf("bare") };
}

/** Requests a second over these turns: what is collected falls into some of them, and counts for all. */
function rateOf(turns: readonly number[]): number {
  return (A_TURN * turns.length * 1000) / turns.reduce((sum, ms) => sum + ms, 0);
}

function report(turns: Turns): void {
  const { floor } = turns;
  const fastest = floor.toSorted((left, right) => left - right)[Math.floor(TURNS / 20)] ?? 0;
  const quick = (turn: number): boolean => (floor[turn] ?? 0) <= fastest * IN_PEACE;
  // The floor's own turn comes first, and its next one behind those of the others.
  const inPeace = floor.map((_, turn) => turn + 1 < TURNS && quick(turn) && quick(turn + 1));
  const peaceful = (kind: Kind): number[] => turns[kind].filter((_, turn) => inPeace[turn]);
  const count = inPeace.filter(Boolean).length;

  const unit = "a second";
  const show = (name: string, kind: Kind, atLeast?: number): void => {
    const target = atLeast === undefined || count < ENOUGH ? {} : { atLeast };
    printFigure({ name, value: rateOf(peaceful(kind)), unit, ...target });
    printFigure({ name: "  over all turns", value: rateOf(turns[kind]), unit });
  };
  const share = (name: string, kind: Kind): void => {
    const ratios = turns[kind].map((ms, turn) => (floor[turn] ?? Number.NaN) / ms);
    printFigure({ name, value: median(ratios), unit: "×" });
  };
  printMachine();
  console.log(`${count} of ${TURNS} turns of ${A_TURN.toLocaleString("en-US")} requests in peace`);
  show("JSON.parse of the body alone", "floor");
  show("sim.handle, impressions, with the journal", "journalled", 500_000);
  show("sim.handle, impressions, journal off", "bare", 1_000_000);
  share("with the journal, share of parsing alone", "journalled");
  share("journal off, share of parsing alone", "bare");
}

const [part] = process.argv.slice(2);
if (part === undefined) report(await compare());
else takePart(part as Kind);

/**
 * Impressions a second through `sim.handle`, on one core and the full path, beside a loop that only parses the bodies. Each
 * in a process of its own, taking turns: what one of them leaves to collect is no cost of another.
 */

import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { type ApiRequest, createSimulator, type Simulator } from "../src/index.ts";
import { median, printFigure, printMachine, spawnOn, stop, timed } from "./measure.ts";

const REQUESTS = 100_000;
const PUBLISHERS = 25;
const ROUNDS = 31;
/** Until an engine has made fast code of it. */
const WARM_UP = 4;

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

function handleAll({ sim, requests }: Prepared): void {
  for (const request of requests) {
    const { status } = sim.handle(request);
    if (status !== 200) throw new Error(`An impression was answered with ${status}.`);
  }
}

function parseAll({ requests }: Prepared): void {
  for (const { body } of requests) {
    const parsed = JSON.parse(String(body)) as { ad_id: unknown };
    if (typeof parsed.ad_id !== "string") throw new Error("A body is not as it was made.");
  }
}

/** In a process of its own: a round for each message, answered with its requests a second. */
function takePart(kind: Kind): void {
  const prepared = prepare(kinds[kind]);
  process.on("message", () => {
    prepared.sim.clock.advance("31m");
    const ms = timed(() => (kind === "floor" ? parseAll : handleAll)(prepared));
    process.send?.((REQUESTS / ms) * 1000);
  });
}

async function roundOf(child: ChildProcess): Promise<number> {
  const answered = once(child, "message") as Promise<[number]>;
  child.send("round");
  const [rate] = await answered;
  return rate;
}

async function compare(): Promise<void> {
  const names = Object.keys(kinds) as Kind[];
  const parts = names.map((kind) => {
    const stdio = ["ignore", "inherit", "inherit", "ipc"] as const;
    const child = spawnOn(0, process.execPath, [import.meta.filename, kind], { stdio: [...stdio] });
    return { kind, child, rates: [] as number[] };
  });
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    for (const { child, rates } of parts) {
      const rate = await roundOf(child);
      if (round >= 0) rates.push(rate);
    }
  }
  for (const { child } of parts) await stop(child);
  const ratesOf = (wanted: Kind): readonly number[] =>
    parts.find(({ kind }) => kind === wanted)?.rates ?? [];
  report(ratesOf("floor"), ratesOf("journalled"), ratesOf("bare"));
}

type Rates = readonly number[];

function report(floor: Rates, journalled: Rates, bare: Rates): void {
  const unit = "a second";
  const show = (name: string, rates: Rates, atLeast?: number): void => {
    const target = atLeast === undefined ? {} : { atLeast };
    printFigure({ name, value: median(rates), unit, ...target });
    printFigure({ name: "  its slowest round", value: Math.min(...rates), unit });
    printFigure({ name: "  its fastest round", value: Math.max(...rates), unit });
  };
  const share = (name: string, rates: Rates): void => {
    const ratios = rates.map((rate, round) => rate / (floor[round] ?? Number.NaN));
    printFigure({ name, value: median(ratios), unit: "×" });
  };
  printMachine();
  show("JSON.parse of the body alone", floor);
  show("sim.handle, impressions, with the journal", journalled, 500_000);
  show("sim.handle, impressions, journal off", bare, 1_000_000);
  share("with the journal, share of parsing alone", journalled);
  share("journal off, share of parsing alone", bare);
}

const [part] = process.argv.slice(2);
if (part === undefined) await compare();
else takePart(part as Kind);

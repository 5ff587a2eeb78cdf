/**
 * What `adsim serve`, as built, costs as its work grows: its start, its memory, and how long one client waits that sends an
 * impression and asks for a report, again and again. The sizes of one thing take turns.
 */

import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { createSimulator, type Simulator } from "../src/index.ts";
import { saveSnapshot } from "../src/server.ts";
import type { Caller } from "./load.ts";
import {
  freePort,
  median,
  msToFirstAnswer,
  pinSelfTo,
  residentMib,
  root,
  spawnOn,
  stop,
  untilAnswered,
} from "./measure.ts";
import { SEED, worldWithFew, worldWithMany } from "./recorded.ts";
import { advanceClock } from "./servers.ts";
import { markdownTable, percentile, rotated, rounded, whole } from "./table.ts";

const STARTS = 5;
/** An impression and a report are a pair. So many leave something of the 60 reports that a minute admits. */
const BATCH_PAIRS = 50;
const BATCHES = 200;
/** Until the engine has made fast code of it, and the journal is full. */
const WARM_UP_PAIRS = 5000;
/** At most so many publishers are asked. Each has been asked before. */
const ASKED = 1000;
const WORLDS = 10_000;
const RULES = 1000;

/** A world, and somebody who sends requests to it. */
interface Target {
  readonly world: string;
  readonly caller: Caller;
}

interface Size {
  readonly name: string;
  /** Arguments of `adsim serve`. */
  readonly args: readonly string[];
  /** They are asked in turn. */
  readonly targets: readonly Target[];
}

/** What grows. `folder`: for what the server reads. */
export const subjects: Readonly<Record<string, (folder: string) => Promise<Size[]> | Size[]>> = {
  publishers: () => [1, 1000, 1_000_000].map(ofPublishers),
  events: async (folder) => [
    await afterEvents("a snapshot of 10 events", worldWithFew(), join(folder, "few.json")),
    await afterEvents("a snapshot of 10 million", worldWithMany(), join(folder, "many.json")),
  ],
  worlds: () => [
    { name: "1 world", args: [], targets: targetsOf(1) },
    {
      name: `${whole(WORLDS)} worlds`,
      args: ["--max-worlds", String(WORLDS + 1)],
      targets: Array.from({ length: WORLDS }, (_, index) => targetsOf(1, `/@w${index}`)).flat(),
    },
  ],
  rules: (folder) => {
    // Each looks at every request and counts it. None gets to this number.
    const rule = { match: { nth: 1_000_000_000 }, verdict: { kind: "drop" } };
    const file = join(folder, "rules.json");
    writeFileSync(file, JSON.stringify(Array.from({ length: RULES }, () => rule)));
    return [
      { name: "0 fault rules", args: [], targets: targetsOf(1) },
      {
        name: `${whole(RULES)} fault rules that don't apply`,
        args: ["--faults", file],
        targets: targetsOf(1),
      },
    ];
  },
  journal: () => [
    { name: "journal off", args: ["--journal-entries", "0"], targets: targetsOf(1) },
    { name: "journal on, and full", args: [], targets: targetsOf(1) },
  ],
};

function ofPublishers(count: number): Size {
  const name = `${whole(count)} publisher${count === 1 ? "" : "s"}`;
  return { name, args: ["--publishers", String(count)], targets: targetsOf(count) };
}

/** From all parts of the population, those with as many surfaces as the first: a report has a row for each. */
function targetsOf(publishers: number, world = ""): Target[] {
  const sim = createSimulator({ seed: SEED, publishers });
  const { length } = sim.publishers.at(0).surfaces;
  const targets: Target[] = [];
  const step = Math.ceil(publishers / (8 * ASKED));
  for (let ordinal = 0; ordinal < publishers && targets.length < ASKED; ordinal += step) {
    const { id, apiKey, surfaces } = sim.publishers.at(ordinal);
    const [first] = surfaces;
    if (first === undefined || surfaces.length !== length) continue;
    targets.push({ world, caller: { id, apiKey, surface: first.id } });
  }
  return targets;
}

async function afterEvents(name: string, sim: Simulator, file: string): Promise<Size> {
  await saveSnapshot(sim, file);
  return { name, args: ["--load", file], targets: targetsOf(1) };
}

function argsOf({ args }: Size, port: number): string[] {
  const always = ["--port", String(port), "--seed", SEED, "--clock", "frozen"];
  // The last one counts.
  return [join(root, "dist/cli/main.js"), "serve", ...always, "--publishers", "1", ...args];
}

/** One server, asked on one connection. */
interface Measured {
  readonly size: Size;
  readonly port: number;
  readonly child: ChildProcess;
  readonly client: Client;
  readonly impressionsUs: number[];
  readonly reportsUs: number[];
}

type Server = Pick<Measured, "size" | "port" | "child">;

async function startWarm(size: Size): Promise<Server> {
  const port = await freePort();
  const child = spawnOn(0, process.execPath, argsOf(size, port), { stdio: "ignore" });
  await untilAnswered(`http://127.0.0.1:${port}/v1`);
  const server = { size, port, child };
  const warming = await measurable(server);
  const batches = Math.max(WARM_UP_PAIRS, size.targets.length) / BATCH_PAIRS;
  for (let batch = 0; batch < batches; batch += 1) await askBatch(warming, batch);
  warming.client.close();
  return server;
}

async function measurable(server: Server): Promise<Measured> {
  const client = await connectTo(server.port);
  return { ...server, client, impressionsUs: [], reportsUs: [] };
}

/** Sends one request at a time on a connection that stays open. */
interface Client {
  /** @returns how long the answer took, in µs. */
  ask(message: string): Promise<number>;
  close(): void;
}

async function connectTo(port: number): Promise<Client> {
  const socket = connect(port, "127.0.0.1").setNoDelay(true).setEncoding("latin1");
  await once(socket, "connect");
  const ask = (message: string): Promise<number> =>
    new Promise((resolve, reject) => {
      let text = "";
      const beganMs = performance.now();
      const take = (chunk: string): void => {
        text += chunk;
        const [head = "", body] = text.split("\r\n\r\n");
        const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1]);
        if (body === undefined || body.length < length) return;
        const us = (performance.now() - beganMs) * 1000;
        socket.off("data", take);
        if (head.startsWith("HTTP/1.1 200 ")) resolve(us);
        else reject(new Error(text));
      };
      socket.on("data", take);
      socket.write(message);
    });
  return { ask, close: () => socket.destroy() };
}

async function askBatch(measured: Measured, batch: number): Promise<void> {
  const { size, port, client, impressionsUs, reportsUs } = measured;
  const { targets } = size;
  const first = batch * BATCH_PAIRS;
  const at = (index: number): Target => {
    const target = targets[index % targets.length];
    if (target === undefined) throw new Error(`${size.name} has nobody to ask.`);
    return target;
  };
  // One world alone gets all requests, and would run out of quota.
  await advanceClock(port, at(first).world);
  for (let index = first; index < first + BATCH_PAIRS; index += 1) {
    impressionsUs.push(await client.ask(impressionOf(at(index))));
    reportsUs.push(await client.ask(reportOf(at(index))));
  }
}

let sessions = 0;

/** With a session of its own, so that none is a duplicate. */
function impressionOf({ world, caller }: Target): string {
  sessions += 1;
  const session_id = `session-${sessions}`;
  const event = { publisher_id: caller.id, surface: caller.surface, ad_id: "ad-1", session_id };
  const body = JSON.stringify(event);
  const headers = `${headersOf(caller)}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
  return `POST ${world}/v1/impression HTTP/1.1\r\n${headers}\r\n${body}`;
}

function reportOf({ world, caller }: Target): string {
  const path = `${world}/v1/publisher/stats?publisher_id=${caller.id}`;
  return `GET ${path} HTTP/1.1\r\n${headersOf(caller)}\r\n`;
}

function headersOf({ apiKey }: Caller): string {
  return `Host: localhost\r\nAuthorization: Bearer ${apiKey}\r\n`;
}

/** Rows of the table. The ratios are to the first size. */
async function rowsOf(sizes: readonly Size[]): Promise<string[][]> {
  const starts = sizes.map((size) => ({ size, ms: [] as number[] }));
  for (let round = 0; round < STARTS; round += 1) {
    for (const { size, ms } of rotated(starts, round)) {
      ms.push(await msToFirstAnswer((port) => argsOf(size, port)));
    }
  }
  const warm: Server[] = [];
  for (const size of sizes) warm.push(await startWarm(size));
  // Only now: a server closes connections that are idle, as they would be while the next server warms up.
  const servers = await Promise.all(warm.map(measurable));
  for (let batch = 0; batch < BATCHES; batch += 1) {
    for (const server of rotated(servers, batch)) await askBatch(server, batch);
  }
  const [first] = servers;
  const rows = servers.map((server, index) => [
    server.size.name,
    `${whole(median(starts[index]?.ms ?? []))} ms`,
    `${whole(residentMib(server.child))} MiB`,
    ...latencies(server.impressionsUs, first?.impressionsUs ?? []),
    ...latencies(server.reportsUs, first?.reportsUs ?? []),
  ]);
  for (const { child, client } of servers) {
    client.close();
    await stop(child);
  }
  return rows;
}

/** Median and 99th percentile. */
function latencies(us: readonly number[], smallestUs: readonly number[]): string[] {
  return [0.5, 0.99].map((share) => {
    const value = percentile(us, share);
    return `${whole(value)} µs (${rounded(value / percentile(smallestUs, share))})`;
  });
}

export async function printGrowth(names: readonly string[], folder: string): Promise<void> {
  pinSelfTo(1);
  const rows: string[][] = [];
  for (const name of names) {
    console.error(`growing: ${name}`);
    const sizes = await subjects[name]?.(folder);
    if (sizes !== undefined) rows.push(...(await rowsOf(sizes)));
  }
  const head = ["adsim with", "start", "memory", "impression", "99 %", "stats", "99 %"];
  console.log(`\n${markdownTable(head, rows)}\n`);
}

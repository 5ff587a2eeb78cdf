/**
 * Requests a second over HTTP, as built, beside a bare node:http server that gives the same bytes, and beside other people's
 * servers. Rounds begin with another one each time. `node bench/http.ts [NAME …] [--rounds N]`
 */

import { deepStrictEqual } from "node:assert/strict";
import { type ChildProcess, execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { freePort } from "../test/ports.ts";
import { answersPerSecond, CONNECTIONS } from "./load.ts";
import {
  median,
  pinToCore1,
  printFigure,
  printMachine,
  processorSeconds,
  startNode,
  stop,
  untilAnswered,
} from "./measure.ts";
import { adsim, adsimArgs, bare, type Peer, type Place, peers, titleOf } from "./peers/peers.ts";
import { type Answer, type Answers, type Kind, requestsOf, sampleAnswers } from "./requests.ts";
import { markdownTable, ratios, rotated, spreadOf, whole } from "./table.ts";

const kinds = ["impression", "stats"] as const satisfies readonly Kind[];
/** What adsim should reach; the bare server's requests a second are 1. */
const AT_LEAST = { impression: 0.7, stats: 0.55 } as const;
/** A run is short: what disturbs the machine for a moment is felt by a few of them. */
const SECONDS = 1;
/** A server that works for less of its core's time isn't what was measured. */
const SATURATED = 0.9;

/** Requests a second, and how much of its core the server used. */
interface Run {
  readonly rate: number;
  readonly busy: number;
}

/** A server that runs, and what was measured of it. */
interface Measured {
  readonly peer: Peer;
  readonly port: number;
  readonly child: ChildProcess;
  readonly runs: Readonly<Record<Kind, Run[]>>;
}

const { values, positionals } = parseArgs({
  options: { rounds: { type: "string", default: "21" } },
  allowPositionals: true,
});
const rounds = Number(values.rounds);
const names = peers.map(({ name }) => name);
const unknown = positionals.filter((name) => !names.includes(name));
if (unknown.length > 0)
  throw new Error(`There is no server ${unknown.join(", ")}. Choose from: ${names.join(", ")}`);
if (!(rounds >= 1)) throw new Error("--rounds is a number, 1 or more.");
const folder = mkdtempSync(join(tmpdir(), "adsim-bench-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));

/** Installs the other servers at the versions in peers/package.json. */
function install(): void {
  console.error("installing the other servers into bench/peers/node_modules");
  const options = ["--ignore-scripts", "--no-package-lock", "--no-audit", "--no-fund"];
  const cwd = join(import.meta.dirname, "peers");
  execFileSync("npm", ["install", ...options], { cwd, stdio: ["ignore", "ignore", "inherit"] });
}

async function start(
  peer: Peer,
  argsFor: (port: number) => string[] | Promise<string[]>,
): Promise<Measured> {
  const port = await freePort();
  // Some tools keep logs in the home folder.
  const env = { ...process.env, HOME: folder };
  const child = startNode(await argsFor(port), { env, stdio: "ignore" });
  await untilAnswered(`http://127.0.0.1:${port}/v1`);
  return { peer, port, child, runs: { impression: [], stats: [] } };
}

/** What other servers are to answer: as adsim does, save for the headers that Node adds itself. */
function placeWith({ impression, stats }: Answers): Place {
  const fixed = ({ headers: { date: _, connection: __, ...headers }, body }: Answer): Answer => {
    return { headers, body };
  };
  const answers = { impression: fixed(impression), stats: fixed(stats) };
  const file = join(folder, "answers.json");
  writeFileSync(file, JSON.stringify(answers));
  return { answers, file, folder };
}

/** @throws AssertionError if a server doesn't answer as adsim does. Ids of impressions differ. */
async function check({ port }: Measured, expected: Answers): Promise<void> {
  const { impression, stats } = await sampleAnswers(port);
  const typesOf = ({ body }: Answer): unknown =>
    Object.entries(JSON.parse(body) as object).map(([name, value]) => [name, typeof value]);
  deepStrictEqual(typesOf(impression), typesOf(expected.impression));
  deepStrictEqual(JSON.parse(stats.body), JSON.parse(expected.stats.body));
}

/** What publishers spent of their limits in earlier runs is forgotten. */
async function advanceClock(port: number): Promise<void> {
  const headers = { "content-type": "application/json" };
  const url = `http://127.0.0.1:${port}/_sim/clock/advance`;
  const { status } = await fetch(url, { method: "POST", headers, body: '{"by":"1m"}' });
  if (status !== 200) throw new Error(`Moving the clock was answered with ${status}.`);
}

async function run(kind: Kind, { peer, port, child }: Measured): Promise<Run> {
  if (peer === adsim) await advanceClock(port);
  const before = processorSeconds(child.pid);
  const rate = await answersPerSecond(port, SECONDS, requestsOf(kind));
  return { rate, busy: (processorSeconds(child.pid) - before) / SECONDS };
}

async function measure(servers: readonly Measured[]): Promise<void> {
  // The first round warms up.
  for (let round = -1; round < rounds; round += 1) {
    for (const kind of kinds) {
      for (const server of rotated(servers, round)) {
        const measured = await run(kind, server);
        if (round >= 0) server.runs[kind].push(measured);
      }
    }
  }
}

function ratesOf({ runs }: Measured, kind: Kind): number[] {
  return runs[kind].map(({ rate }) => rate);
}

/** Who waits for the load does less than it could: where the bare server did, there is no verdict on ours. */
function judge(kind: Kind, base: Measured, ours: Measured): void {
  const value = median(ratios(ratesOf(ours, kind), ratesOf(base, kind)));
  const busy = median(base.runs[kind].map((one) => one.busy));
  const target = busy < SATURATED ? {} : { atLeast: AT_LEAST[kind] };
  printFigure({ name: `${kind}, adsim to bare node:http`, value, unit: "×", ...target });
  console.log(`  the bare server worked for ${whole(100 * busy)} % of the time`);
  if (busy < SATURATED)
    console.log("  NO VERDICT: the load, or something else on this machine, set the pace.");
}

function print(servers: readonly [base: Measured, ours: Measured, ...others: Measured[]]): void {
  const [base, ours] = servers;
  const rows = servers.map((server) => [
    titleOf(server.peer),
    server.peer.does,
    ...kinds.map((kind) =>
      server === base
        ? `1 (${whole(median(ratesOf(base, kind)))} a second)`
        : spreadOf(ratios(ratesOf(server, kind), ratesOf(base, kind))),
    ),
  ]);
  const head = ["server", "what it does with an impression", "impressions", "stats"];
  console.log(`\n${markdownTable(head, rows)}\n`);
  for (const kind of kinds) judge(kind, base, ours);
}

printMachine();
console.log(`${CONNECTIONS} connections, ${SECONDS} s a run, ${rounds} rounds`);
if (positionals.length > 0) install();
pinToCore1();
const ours = await start(adsim, adsimArgs);
const place = placeWith(await sampleAnswers(ours.port));
const startThere = (peer: Peer): Promise<Measured> =>
  start(peer, (port) => peer.argsFor(port, place));
const base = await startThere(bare);
const others: Measured[] = [];
for (const peer of peers.filter(({ name }) => positionals.includes(name)))
  others.push(await startThere(peer));
const servers = [base, ours, ...others] as const;
for (const server of servers) await check(server, place.answers);
await measure(servers);
print(servers);
for (const { child } of servers) await stop(child);
process.exit();

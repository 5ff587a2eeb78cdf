/**
 * adsim beside other people's servers, in one run: the same impressions and reports for each, in rounds that begin with another
 * one each time. Then what adsim costs as its work grows. `npm run bench:peers -- [NAME …] [--rounds N]`
 */

import { deepStrictEqual, match } from "node:assert/strict";
import { type ChildProcess, execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { printGrowth, subjects } from "../growth.ts";
import { generator, type Kind } from "../load.ts";
import {
  type ArgsFor,
  canPin,
  freePort,
  median,
  msToFirstAnswer,
  printMachine,
  residentMib,
  spawnOn,
  stop,
  temporary,
  untilAnswered,
} from "../measure.ts";
import { CONNECTIONS } from "../quota.ts";
import {
  type Answers,
  adsimArgs,
  findCallers,
  give,
  type Run,
  runLoad,
  SATURATED,
  SECONDS,
  sampleAnswers,
} from "../servers.ts";
import { markdownTable, ratioOf, rotated, whole } from "../table.ts";
import { adsim, bare, type Peer, peers, titleOf } from "./peers.ts";

const STARTS = 5;
const kinds = ["impression", "stats"] as const satisfies readonly Kind[];

/** A server that runs, and what was measured of it. */
interface Measured {
  readonly peer: Peer;
  readonly port: number;
  readonly child: ChildProcess;
  readonly argsFor: ArgsFor;
  readonly runs: Readonly<Record<Kind, Run[]>>;
  readonly startsMs: number[];
}

const { values, positionals } = parseArgs({
  options: { rounds: { type: "string", default: "9" } },
  allowPositionals: true,
});
const rounds = Number(values.rounds);
const folder = mkdtempSync(join(temporary, "adsim-peers-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
// Some tools keep logs there.
const env = { ...process.env, HOME: folder };
const callers = findCallers();

/** As the lock file says, unless that is done already. */
function install(): void {
  const cwd = import.meta.dirname;
  const changed = (file: string): number =>
    statSync(join(cwd, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (changed("node_modules/.package-lock.json") > changed("package-lock.json")) return;
  console.error("installing the other servers into bench/peers/node_modules");
  execFileSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], {
    cwd,
    stdio: ["ignore", "ignore", "inherit"],
  });
}

async function start(peer: Peer, argsFor: ArgsFor): Promise<Measured> {
  const port = await freePort();
  const args = [...(peer.underLoad ?? []), ...(await argsFor(port))];
  const child = spawnOn(0, process.execPath, args, { env, stdio: ["ignore", "ignore", "inherit"] });
  await untilAnswered(`http://127.0.0.1:${port}/v1`);
  return { peer, port, child, argsFor, runs: { impression: [], stats: [] }, startsMs: [] };
}

/** @throws AssertionError if a server doesn't answer as it should. */
async function check({ port }: Measured, expected: Answers): Promise<void> {
  const { post, get } = await sampleAnswers(port, callers[0]);
  const typesOf = (body: string): unknown =>
    Object.entries(JSON.parse(body) as object).map(([name, value]) => [name, typeof value]);
  deepStrictEqual(typesOf(post.body), typesOf(expected.post.body));
  deepStrictEqual(JSON.parse(get.body), JSON.parse(expected.get.body));
  for (const { headers } of [post, get]) {
    match(headers["x-ratelimit-remaining"] ?? "", /^\d+$/);
    match(headers["content-type"] ?? "", /^application\/json/);
  }
}

async function measure(servers: readonly Measured[]): Promise<void> {
  // The first round warms up.
  for (let round = -1; round < rounds; round += 1) {
    console.error(round < 0 ? "warming up" : `round ${round + 1} of ${rounds}`);
    for (const kind of kinds) {
      for (const { peer, port, child, runs } of rotated(servers, round)) {
        await peer.renew?.(port);
        const run = await runLoad(kind, { port, pid: child.pid }, callers);
        if (round >= 0) runs[kind].push(run);
      }
    }
  }
}

async function measureStarts(servers: readonly Measured[]): Promise<void> {
  for (let round = 0; round < STARTS; round += 1) {
    for (const { argsFor, startsMs } of rotated(servers, round)) {
      startsMs.push(await msToFirstAnswer(argsFor, { env }));
    }
  }
}

/** The first of the servers is the one that the others are compared with. */
function printTable(servers: readonly [Measured, ...Measured[]]): void {
  const [base] = servers;
  const rates = ({ runs }: Measured, kind: Kind): number[] => runs[kind].map(({ rate }) => rate);
  const rows = servers.map((server) => [
    titleOf(server.peer),
    server.peer.does,
    ...kinds.map((kind) =>
      server === base
        ? `1 (${whole(median(rates(base, kind)))} a second)`
        : ratioOf(rates(server, kind), rates(base, kind)),
    ),
    `${whole(median(server.startsMs))} ms`,
    `${whole(residentMib(server.child))} MiB`,
  ]);
  const head = ["server", "what it does with an impression", "impressions", "stats", "start"];
  console.log(`\n${markdownTable([...head, "memory"], rows)}\n`);
  for (const kind of kinds) {
    const idle = base.runs[kind].filter(({ busy }) => busy < SATURATED).length;
    if (idle <= rounds / 2) continue;
    console.log(
      `NO VERDICT on ${kind}: in ${idle} of ${rounds} runs the bare server worked less than ${SATURATED} ` +
        "of the time. The load generator, or something else on this machine, set the pace.",
    );
  }
}

async function compare(chosen: readonly Peer[]): Promise<void> {
  install();
  const ours = await start(adsim, adsimArgs);
  const place = { ...give(await sampleAnswers(ours.port, callers[0])), folder };
  const startThere = (peer: Peer): Promise<Measured> =>
    start(peer, (port) => peer.argsFor(port, place));
  const base = await startThere(bare);
  const others: Measured[] = [];
  for (const peer of chosen) others.push(await startThere(peer));
  const servers = [base, ours, ...others] as const;
  for (const server of servers) await check(server, place.answers);
  const pinning = canPin ? "servers on core 0, load on core 1" : "not pinned";
  console.log(
    `${generator}, ${CONNECTIONS} connections, ${SECONDS} s a run, ${rounds} rounds, ${pinning}`,
  );
  await measure(servers);
  await measureStarts(servers);
  printTable(servers);
  for (const { child } of servers) await stop(child);
}

const names = [...peers.map(({ name }) => name), ...Object.keys(subjects)];
const unknown = positionals.filter((name) => !names.includes(name));
if (unknown.length > 0) throw new Error(`There is no ${unknown.join(", ")}: ${names.join(", ")}`);
if (!(rounds >= 1)) throw new Error("--rounds is a number, 1 or more.");
const isChosen = (name: string): boolean => positionals.length === 0 || positionals.includes(name);

printMachine();
const chosen = peers.filter(({ name }) => isChosen(name));
if (chosen.length > 0) await compare(chosen);
const growing = Object.keys(subjects).filter(isChosen);
if (growing.length > 0) await printGrowth(growing, folder);
process.exit();

/**
 * Requests a second over HTTP, as built, beside a bare node:http server that gives the same bytes, and beside other people's
 * servers. Rounds begin with another one each time. `node bench/http.ts [NAME …] [--rounds N]`
 */

import { deepStrictEqual } from "node:assert/strict";
import { type ChildProcess, execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { CONNECTIONS, type Kind } from "./load.ts";
import {
  canPin,
  freePort,
  median,
  printFigure,
  printMachine,
  spawnOn,
  stop,
  temporary,
  untilAnswered,
} from "./measure.ts";
import { adsim, bare, type Peer, type Place, peers, titleOf } from "./peers/peers.ts";
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
} from "./servers.ts";
import { markdownTable, ratioOf, rotated, whole } from "./table.ts";

const kinds = ["impression", "stats"] as const satisfies readonly Kind[];
/** What adsim should reach; the bare server's requests a second are 1. */
const AT_LEAST = { impression: 0.9, stats: 0.8 } as const;

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
if (unknown.length > 0) throw new Error(`There is no ${unknown.join(", ")}: ${names.join(", ")}`);
if (!(rounds >= 1)) throw new Error("--rounds is a number, 1 or more.");
const folder = mkdtempSync(join(temporary, "adsim-peers-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
const callers = findCallers();

/** Installs the other servers at the versions in peers/package.json, unless that is done already. */
function install(): void {
  const cwd = join(import.meta.dirname, "peers");
  const changed = (file: string): number =>
    statSync(join(cwd, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (changed("node_modules/.package-lock.json") > changed("package.json")) return;
  console.error("installing the other servers into bench/peers/node_modules");
  const options = ["--ignore-scripts", "--no-package-lock", "--no-audit", "--no-fund"];
  execFileSync("npm", ["install", ...options], { cwd, stdio: ["ignore", "ignore", "inherit"] });
}

async function start(
  peer: Peer,
  argsFor: (port: number) => string[] | Promise<string[]>,
): Promise<Measured> {
  const port = await freePort();
  // Some tools keep logs in the home folder.
  const options = { env: { ...process.env, HOME: folder }, stdio: "ignore" } as const;
  const child = spawnOn(0, process.execPath, await argsFor(port), options);
  await untilAnswered(`http://127.0.0.1:${port}/v1`);
  return { peer, port, child, runs: { impression: [], stats: [] } };
}

/** @throws AssertionError if a server doesn't answer as it should. */
async function check({ port }: Measured, expected: Answers): Promise<void> {
  const { post, get } = await sampleAnswers(port, callers[0]);
  const typesOf = (body: string): unknown =>
    Object.entries(JSON.parse(body) as object).map(([name, value]) => [name, typeof value]);
  deepStrictEqual(typesOf(post.body), typesOf(expected.post.body));
  deepStrictEqual(JSON.parse(get.body), JSON.parse(expected.get.body));
}

async function measure(servers: readonly Measured[]): Promise<void> {
  // The first round warms up.
  for (let round = -1; round < rounds; round += 1) {
    for (const kind of kinds) {
      for (const { peer, port, child, runs } of rotated(servers, round)) {
        await peer.renew?.(port);
        const run = await runLoad(kind, { port, pid: child.pid }, callers);
        if (round >= 0) runs[kind].push(run);
      }
    }
  }
}

function ratesOf({ runs }: Measured, kind: Kind): number[] {
  return runs[kind].map(({ rate }) => rate);
}

/** Who waits for the load does less than it could: where the bare server did, there is no verdict on ours. */
function judge(kind: Kind, base: Measured, ours: Measured): void {
  const value = median(
    ratesOf(ours, kind).map((rate, round) => rate / (ratesOf(base, kind)[round] ?? Number.NaN)),
  );
  const idle = base.runs[kind].filter(({ busy }) => busy < SATURATED).length;
  const target = idle > rounds / 2 ? {} : { atLeast: AT_LEAST[kind] };
  printFigure({ name: `${kind}, adsim to bare node:http`, value, unit: "×", ...target });
  if (idle <= rounds / 2) return;
  console.log(
    `  NO VERDICT: in ${idle} of ${rounds} runs the bare server worked less than ${SATURATED} of the time. ` +
      "The load generator, or something else on this machine, set the pace.",
  );
}

function print(servers: readonly [base: Measured, ours: Measured, ...others: Measured[]]): void {
  const [base, ours] = servers;
  const rows = servers.map((server) => [
    titleOf(server.peer),
    server.peer.does,
    ...kinds.map((kind) =>
      server === base
        ? `1 (${whole(median(ratesOf(base, kind)))} a second)`
        : ratioOf(ratesOf(server, kind), ratesOf(base, kind)),
    ),
  ]);
  const head = ["server", "what it does with an impression", "impressions", "stats"];
  console.log(`\n${markdownTable(head, rows)}\n`);
  for (const kind of kinds) judge(kind, base, ours);
}

printMachine();
const pinning = canPin ? "servers on core 0, load on core 1" : "not pinned";
console.log(`${CONNECTIONS} connections, ${SECONDS} s a run, ${rounds} rounds, ${pinning}`);
if (positionals.length > 0) install();
const ours = await start(adsim, adsimArgs);
const place: Place = { ...give(await sampleAnswers(ours.port, callers[0])), folder };
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

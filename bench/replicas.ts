/**
 * Impressions a second through HAProxy with one replica and with two, and at one server without it. All of it, the load too,
 * shares the machine's cores, so the processor time of a request says what other machines can expect.
 */

import type { ChildProcess } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createSimulator } from "../src/index.ts";
import { type Caller, generator, requestsPerSecond } from "./load.ts";
import {
  freePort,
  isInstalled,
  median,
  printFigure,
  printMachine,
  processorSeconds,
  root,
  spawnOn,
  stop,
  temporary,
  untilAnswered,
} from "./measure.ts";

const ROUNDS = Number(process.argv[2] ?? 11);
const SECONDS = 2;
/** Enough that each of two replicas gets about half. */
const PUBLISHERS = 400;
const SEED = "bench";

if (!isInstalled("haproxy")) throw new Error("This bench needs HAProxy: apt-get install haproxy.");

interface Setup {
  readonly name: string;
  /** Where the load goes. */
  readonly port: number;
  readonly replicas: readonly ChildProcess[];
  readonly balancer: ChildProcess | undefined;
}

interface Run {
  readonly rate: number;
  /** Processor time for a request, in µs. */
  readonly costOfReplicas: number;
  readonly costOfBalancer: number;
}

async function startReplica(): Promise<{ port: number; child: ChildProcess }> {
  const port = await freePort();
  const child = spawnOn("all", process.execPath, [
    ...["--import", "./bench/hurried-clock.ts", join(root, "dist/cli/main.js"), "serve"],
    ...["--port", String(port), "--seed", SEED, "--publishers", String(PUBLISHERS)],
  ]);
  child.stdout?.resume();
  await untilAnswered(`http://127.0.0.1:${port}/v1`);
  return { port, child };
}

/** Starts HAProxy with the file of deploy/, for as many replicas as there are ports. */
async function startBalancer(
  ports: readonly number[],
): Promise<{ port: number; child: ChildProcess }> {
  const port = await freePort();
  const deployed = readFileSync(join(root, "deploy/haproxy.cfg"), "utf8");
  const parts = deployed.split("mod(4)");
  if (parts.length !== 2) throw new Error("deploy/haproxy.cfg doesn't have mod(4) once.");
  const file = join(temporary, `adsim-bench-${process.pid}-${ports.length}.cfg`);
  writeFileSync(file, parts.join(`mod(${ports.length})`));
  const addresses = [0, 1, 2, 3].map((index) => {
    return [`ADSIM_${index}`, `127.0.0.1:${ports[index] ?? ports[0]}`];
  });
  const env = {
    ...process.env,
    ADSIM_LISTEN: `127.0.0.1:${port}`,
    ...Object.fromEntries(addresses),
  };
  const child = spawnOn("all", "haproxy", ["-db", "-f", file], { env });
  await untilAnswered(`http://127.0.0.1:${port}/_sim`);
  return { port, child };
}

const callers = createSimulator({ seed: SEED, publishers: PUBLISHERS })
  .publishers.credentials(PUBLISHERS)
  .map(({ id, apiKey, surfaces: [first] }): Caller => {
    return { id, apiKey, surface: first?.id ?? "" };
  });

async function measure({ port, replicas, balancer }: Setup): Promise<Run> {
  const used = (children: readonly (ChildProcess | undefined)[]): number =>
    children.reduce((sum, child) => sum + (processorSeconds(child?.pid) ?? 0), 0);
  const [ofReplicas, ofBalancer] = [used(replicas), used([balancer])];
  const rate = await requestsPerSecond({ port, kind: "impression", seconds: SECONDS, callers });
  const perRequest = (seconds: number): number => (seconds * 1e6) / (rate * SECONDS);
  return {
    rate,
    costOfReplicas: perRequest(used(replicas) - ofReplicas),
    costOfBalancer: perRequest(used([balancer]) - ofBalancer),
  };
}

const [first, second] = [await startReplica(), await startReplica()];
const one = await startBalancer([first.port]);
const two = await startBalancer([first.port, second.port]);
const setups: readonly Setup[] = [
  { name: "one server", port: first.port, replicas: [first.child], balancer: undefined },
  { name: "HAProxy, 1 replica", port: one.port, replicas: [first.child], balancer: one.child },
  {
    name: "HAProxy, 2 replicas",
    port: two.port,
    replicas: [first.child, second.child],
    balancer: two.child,
  },
];

printMachine();
console.log(`${generator} on core 1, all else on any core; ${SECONDS} s a run, ${ROUNDS} rounds`);
const runs = setups.map((): Run[] => []);
// The first round warms up.
for (let round = -1; round < ROUNDS; round += 1) {
  const order = [...setups.keys()];
  for (const at of round % 2 === 0 ? order : order.reverse()) {
    const setup = setups[at];
    if (setup === undefined) continue;
    const run = await measure(setup);
    if (round >= 0) runs[at]?.push(run);
  }
}
for (const [at, { name, balancer }] of setups.entries()) {
  const middle = (figure: keyof Run): number => median((runs[at] ?? []).map((run) => run[figure]));
  printFigure({ name: `impression, ${name}`, value: middle("rate"), unit: "requests/s" });
  printFigure({
    name: "  adsim's processor time a request",
    value: middle("costOfReplicas"),
    unit: "µs",
  });
  if (balancer !== undefined) {
    printFigure({ name: "  HAProxy's", value: middle("costOfBalancer"), unit: "µs" });
  }
}
const [alone = [], withOne = [], withTwo = []] = runs;
printRatio("HAProxy with 1 replica : one server", alone, withOne);
printRatio("HAProxy with 2 replicas : with 1", withOne, withTwo);
for (const { child } of [one, two, first, second]) await stop(child);

/** The median of the rounds' ratios of requests/s, with the lowest and the highest. */
function printRatio(name: string, base: readonly Run[], other: readonly Run[]): void {
  const ratios = base.map(({ rate }, round) => (other[round]?.rate ?? Number.NaN) / rate);
  printFigure({ name, value: median(ratios), unit: "×" });
  printFigure({ name: "  lowest round", value: Math.min(...ratios), unit: "×" });
  printFigure({ name: "  highest round", value: Math.max(...ratios), unit: "×" });
}

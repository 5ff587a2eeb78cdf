/** Requests a second over HTTP, as built, beside a bare node:http server that gives the same bytes. Server and load pinned. */

import { deepStrictEqual } from "node:assert";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createSimulator } from "../src/index.ts";
import { type Caller, generator, type Kind, requestsPerSecond } from "./load.ts";
import {
  canPin,
  freePort,
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
import { CALLERS, CONNECTIONS } from "./quota.ts";

/** Short ones, and many: what disturbs the machine for a moment is felt by a few pairs of them. */
const ROUNDS = 21;
const SECONDS = 1;
/** A server that works for less of its core's time isn't what was measured. */
const SATURATED = 0.9;
/** The bare server's requests a second are 1. */
const AT_LEAST = { impression: 0.9, stats: 0.8 } as const;
const SURFACES = 4;
const POPULATION = 1_000_000;
const SEED = "bench";

interface Target {
  readonly name: string;
  readonly port: number;
  readonly pid: number | undefined;
}

/** One run: requests a second, and the server's processor time for one, in µs. */
interface Run {
  readonly rate: number;
  readonly cost: number;
  /** How much of its core the server used. Well below 1 it wasn't the server that set the pace. */
  readonly busy: number;
}

/** The first publishers with so many surfaces. */
function findCallers(): Caller[] {
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
  return callers.slice(0, wanted);
}

interface Answer {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** One answer to each kind of request, without the time of day. */
async function samples(port: number, caller: Caller): Promise<Record<"post" | "get", Answer>> {
  const url = `http://127.0.0.1:${port}/v1`;
  const authorization = `Bearer ${caller.apiKey}`;
  const answer = async (path: string, init: RequestInit): Promise<Answer> => {
    const response = await fetch(`${url}${path}`, init);
    if (response.status !== 200) throw new Error(`The sample got ${response.status}.`);
    const { date: _, ...headers } = Object.fromEntries(response.headers);
    return { headers, body: await response.text() };
  };
  const post = await answer("/impression", {
    method: "POST",
    headers: { authorization, "content-type": "application/json" },
    body: JSON.stringify({ publisher_id: caller.id, surface: caller.surface, ad_id: "ad-1" }),
  });
  const get = await answer(`/publisher/stats?publisher_id=${caller.id}`, {
    headers: { authorization },
  });
  return { post, get };
}

/** What the bare server is to answer: an answer of ours, save for the header that Node adds itself. */
function fixed({ headers: { connection: _, ...headers }, body }: Answer): Answer {
  return { headers, body };
}

/** Each run begins with the first caller again: what was spent in the run before must be forgotten. */
async function renewQuotas(port: number): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/_sim/clock/advance`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"by":"1m"}',
  });
  if (response.status !== 200) throw new Error(`The clock was moved with ${response.status}.`);
  await response.arrayBuffer();
}

async function measure(kind: Kind, { port, pid }: Target): Promise<Run> {
  const before = processorSeconds(pid) ?? Number.NaN;
  const load = { port, kind, seconds: SECONDS, callers: callers.slice(0, CALLERS[kind]) };
  const rate = await requestsPerSecond(load);
  const seconds = (processorSeconds(pid) ?? Number.NaN) - before;
  return { rate, cost: (seconds * 1e6) / (rate * SECONDS), busy: seconds / SECONDS };
}

async function compare(kind: Kind, targets: readonly [bare: Target, ours: Target]): Promise<void> {
  const runs: [Run[], Run[]] = [[], []];
  for (let round = -1; round < ROUNDS; round += 1) {
    for (const at of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      if (at === 1) await renewQuotas(targets[at].port);
      const run = await measure(kind, targets[at]);
      // The first round warms up.
      if (round >= 0) runs[at].push(run);
    }
  }
  for (const at of [0, 1] as const) {
    const middle = (figure: keyof Run): number => median(runs[at].map((run) => run[figure]));
    const { name } = targets[at];
    printFigure({ name: `${kind}, ${name}`, value: middle("rate"), unit: "requests/s" });
    printFigure({ name: `  its processor time a request`, value: middle("cost"), unit: "µs" });
    printFigure({ name: `  how busy it was`, value: middle("busy"), unit: "of its core" });
  }
  const [ofBare, ofOurs] = runs;
  const ratios = (of: (bare: Run, ours: Run) => number): number =>
    median(ofBare.map((bare, round) => of(bare, ofOurs[round] ?? bare)));
  const atLeast = AT_LEAST[kind];
  const ratio = ratios((bare, ours) => ours.rate / bare.rate);
  // Who waits for the load does less than it could. The bare server must not, where ours reaches the target; nor ours, where it doesn't.
  const judged = ratio >= atLeast ? 0 : 1;
  // Not a number where the system doesn't tell: then the ratio is taken at its word.
  const idle = runs[judged].filter(({ busy }) => busy < SATURATED).length;
  const counts = idle <= ROUNDS / 2;
  printFigure({
    name: `${kind}, ratio of requests/s, median of the rounds'`,
    value: ratio,
    unit: "×",
    ...(counts ? { atLeast } : {}),
  });
  if (!counts) {
    const { name } = targets[judged];
    console.log(
      `  NO VERDICT: in ${idle} of ${ROUNDS} runs ${name} worked less than ${SATURATED} of the time. ` +
        "The load generator, or something else on this machine, set the pace.",
    );
  }
  printFigure({
    name: `${kind}, the same by processor time`,
    value: ratios((bare, ours) => bare.cost / ours.cost),
    unit: "×",
  });
}

const callers = findCallers();
const [sample] = callers;
if (sample === undefined) throw new Error("No publisher found.");
const oursPort = await freePort();
const ours = spawnOn(0, process.execPath, [
  ...["--import", "./bench/hurried-clock.ts"],
  join(root, "dist/cli/main.js"),
  ...["serve", "--port", String(oursPort), "--seed", SEED, "--publishers", String(POPULATION)],
]);
ours.stdout?.resume();
await untilAnswered(`http://127.0.0.1:${oursPort}/v1`);
const file = join(temporary, `adsim-bench-${process.pid}-answers.json`);
const expected = await samples(oursPort, sample);
writeFileSync(file, JSON.stringify({ post: fixed(expected.post), get: fixed(expected.get) }));
const barePort = await freePort();
const bare = spawnOn(0, process.execPath, [
  join(root, "bench/bare-server.ts"),
  String(barePort),
  file,
]);
await untilAnswered(`http://127.0.0.1:${barePort}/`);
// Neither may have a byte less to write.
deepStrictEqual(await samples(barePort, sample), expected);

printMachine();
const pinning = canPin
  ? "server on core 0, load on core 1"
  : "not pinned, so take the ratio with care";
console.log(
  `${generator}, ${CONNECTIONS} connections, ${SECONDS} s a run, ${ROUNDS} rounds, ${pinning}`,
);
const targets = [
  { name: "bare node:http", port: barePort, pid: bare.pid },
  { name: "adsim serve", port: oursPort, pid: ours.pid },
] as const;
await compare("impression", targets);
await compare("stats", targets);
await stop(ours);
await stop(bare);

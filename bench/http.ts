/** Requests a second over HTTP, as built, beside a bare node:http server that gives the same bytes. Server and load pinned. */

import { deepStrictEqual } from "node:assert";
import { generator, type Kind } from "./load.ts";
import {
  canPin,
  freePort,
  median,
  printFigure,
  printMachine,
  spawnOn,
  stop,
  untilAnswered,
} from "./measure.ts";
import { CONNECTIONS } from "./quota.ts";
import {
  adsimArgs,
  advanceClock,
  bareArgs,
  findCallers,
  give,
  hurriedClock,
  type Run,
  runLoad,
  SATURATED,
  SECONDS,
  sampleAnswers,
} from "./servers.ts";

/** Many short ones. */
const ROUNDS = 21;
/** The bare server's requests a second are 1. */
const AT_LEAST = { impression: 0.9, stats: 0.8 } as const;

interface Target {
  readonly name: string;
  readonly port: number;
  readonly pid: number | undefined;
}

async function compare(kind: Kind, targets: readonly [bare: Target, ours: Target]): Promise<void> {
  const runs: [Run[], Run[]] = [[], []];
  for (let round = -1; round < ROUNDS; round += 1) {
    for (const at of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      if (at === 1) await advanceClock(targets[at].port);
      const run = await runLoad(kind, targets[at], callers);
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
const oursPort = await freePort();
const ours = spawnOn(0, process.execPath, [...hurriedClock, ...adsimArgs(oursPort)]);
ours.stdout?.resume();
await untilAnswered(`http://127.0.0.1:${oursPort}/v1`);
const expected = await sampleAnswers(oursPort, callers[0]);
const barePort = await freePort();
const bare = spawnOn(0, process.execPath, bareArgs(barePort, give(expected)));
await untilAnswered(`http://127.0.0.1:${barePort}/`);
// Neither may have a byte less to write.
deepStrictEqual(await sampleAnswers(barePort, callers[0]), expected);

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

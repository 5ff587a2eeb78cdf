/** From spawning a process to its first answer: `adsim serve` as built, beside a bare node:http server of one line. */

import { join } from "node:path";
import { freePort } from "../test/ports.ts";
import {
  median,
  printFigure,
  printMachine,
  root,
  startNode,
  stop,
  untilAnswered,
} from "./measure.ts";

const ROUNDS = 21;

const bare = (port: number): string[] => [
  "-e",
  `require("node:http").createServer((_, response) => response.end("{}")).listen(${port}, "127.0.0.1")`,
];
const main = join(root, "dist/cli/main.js");
const ours = (port: number): string[] => [main, "serve", "--port", String(port)];

/** Milliseconds from spawning a server to its first answer, whatever that is. */
async function msToFirstAnswer(argsFor: (port: number) => string[]): Promise<number> {
  const port = await freePort();
  const begin = performance.now();
  const child = startNode(argsFor(port), { stdio: "ignore" });
  await untilAnswered(`http://127.0.0.1:${port}/v1/publisher/stats`);
  const ms = performance.now() - begin;
  await stop(child);
  return ms;
}

printMachine();
// The first start of each reads its files from the disk.
await msToFirstAnswer(bare);
await msToFirstAnswer(ours);
const ofBare: number[] = [];
const ofOurs: number[] = [];
for (let round = 0; round < ROUNDS; round += 1) {
  ofBare.push(await msToFirstAnswer(bare));
  ofOurs.push(await msToFirstAnswer(ours));
}
printFigure({ name: "a bare server, to the first answer", value: median(ofBare), unit: "ms" });
printFigure({ name: "adsim serve, to the first answer", value: median(ofOurs), unit: "ms" });
const value = median(ofOurs) / median(ofBare);
printFigure({ name: "ratio of the two", value, unit: "×", atMost: 2 });

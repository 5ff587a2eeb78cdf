/** From spawning a process to its first answer: `adsim serve` as built, beside a bare node:http server of one line. */

import type { ChildProcess } from "node:child_process";
import { createConnection } from "node:net";
import { freePort, median, printFigure, printMachine, root, spawnOn, stop } from "./measure.ts";

const ROUNDS = 21;

const bare = (port: number): string[] => [
  "-e",
  `require("node:http").createServer((_, response) => response.end("{}")).listen(${port}, "127.0.0.1")`,
];
const ours = (port: number): string[] => [
  `${root}/dist/cli/main.js`,
  "serve",
  "--port",
  String(port),
];

/** Milliseconds from spawning to the first byte of an answer. */
async function startOf(argsFor: (port: number) => string[]): Promise<number> {
  const port = await freePort();
  const begin = performance.now();
  const child: ChildProcess = spawnOn(0, process.execPath, argsFor(port), { stdio: "ignore" });
  let ended = false;
  child.once("exit", () => {
    ended = true;
  });
  while (!(await answers(port))) {
    if (ended) throw new Error(`${argsFor(port).join(" ")} ended before it answered.`);
  }
  const ms = performance.now() - begin;
  await stop(child);
  return ms;
}

/** Tries once, and again a millisecond later at the earliest. */
function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.write(
        "GET /v1/publisher/stats HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
      );
    });
    socket.once("data", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => setTimeout(() => resolve(false), 1));
  });
}

printMachine();
// The first start of each reads its files from the disk.
await startOf(bare);
await startOf(ours);
const ofBare: number[] = [];
const ofOurs: number[] = [];
for (let round = 0; round < ROUNDS; round += 1) {
  ofBare.push(await startOf(bare));
  ofOurs.push(await startOf(ours));
}
printFigure({
  name: "node -e, a constant, to the first answer",
  value: median(ofBare),
  unit: "ms",
});
printFigure({ name: "adsim serve, to the first answer", value: median(ofOurs), unit: "ms" });
printFigure({
  name: "ratio of the two",
  value: median(ofOurs) / median(ofBare),
  unit: "×",
  atMost: 2,
});

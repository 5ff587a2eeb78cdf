/** From spawning a process to its first answer: `adsim serve` as built, beside a bare node:http server of one line. */

import { median, msToFirstAnswer, printFigure, printMachine, root } from "./measure.ts";

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

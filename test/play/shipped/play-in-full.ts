/**
 * Plays the scenarios of many millions of requests as they ship, in this process, and says how fast it went: a figure for
 * people, compared with nothing. Other names may be given as arguments.
 */

import { join } from "node:path";
import { argv, exit, memoryUsage, stdout } from "node:process";
import { playScenario } from "../../../src/play/play-scenario.ts";

const names = argv.length > 2 ? argv.slice(2) : ["busy-day"];
let allHeld = true;
for (const name of names) {
  const module: unknown = await import(
    join(import.meta.dirname, "../../../scenarios", `${name}.ts`)
  );
  const { scenario } = module as { scenario: unknown };
  const beganMs = performance.now();
  const { result, why, digest, tally, steps } = await playScenario(scenario);
  const seconds = (performance.now() - beganMs) / 1000;
  allHeld &&= result === "passed";
  stdout.write(
    `${name}: ${result}, ${why}\n` +
      `  ${shown(tally.sent)} events in ${seconds.toFixed(1)} s: ${shown(tally.sent / seconds)} events/s, ` +
      `${shown(memoryUsage().rss / 1e6)} MB, digest ${digest}\n`,
  );
  for (const { path, checks } of steps) {
    for (const { result: of, about, expected, found } of checks) {
      if (of !== "passed")
        stdout.write(`  ${path} ${about}: expected ${expected}, found ${found}\n`);
    }
  }
}
exit(allHeld ? 0 : 1);

function shown(count: number): string {
  return Math.round(count).toLocaleString("en");
}

/**
 * Tries the contract on four correct clients under all pairs of choices and in several time zones of the machine, with
 * several seeds each, and lists the rules that they break: false alarms. It takes about three quarters of an hour. Names of
 * clients and time zones may be given as arguments, to try only these.
 */

import { argv, exit, stdout } from "node:process";
import { coveringArray } from "../../../src/index.ts";
import { nonDefaultChoices } from "../../../src/spec/assumptions/resolve.ts";
import { clientNames, timeZones, tryContract } from "./correct-clients.ts";

const SEEDS = 10;
const RUNS = 3;

const names = argv.slice(2);
const known: readonly string[] = [...clientNames, ...timeZones];
const unknown = names.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  stdout.write(`${unknown.join(", ")}: expected some of ${known.join(", ")}\n`);
  exit(2);
}

/** Those that are named; all if none is. */
function wantedOf<Name extends string>(all: readonly Name[]): readonly Name[] {
  const named = all.filter((name) => names.includes(name));
  return named.length === 0 ? all : named;
}

let alarmCount = 0;
for (const client of wantedOf(clientNames)) {
  for (const timeZone of wantedOf(timeZones)) {
    let held = 0;
    for (const [row, assumptions] of coveringArray({ strength: 2 }).entries()) {
      for (let sequenceSeed = 1; sequenceSeed <= SEEDS; sequenceSeed += 1) {
        const tried = await tryContract(client, {
          assumptions,
          sequenceSeed,
          runs: RUNS,
          globals: "replaced",
          timeZone,
        });
        held += tried.held;
        alarmCount += tried.alarms.length;
        const choices = JSON.stringify(nonDefaultChoices(assumptions));
        for (const alarm of tried.alarms)
          stdout.write(
            `${client}, ${timeZone}, row ${row}, seed ${sequenceSeed}: ${alarm}\n  ${choices}\n`,
          );
      }
    }
    stdout.write(`${client}, ${timeZone}: rules held ${held} times\n`);
  }
}
stdout.write(`${alarmCount} false alarms\n`);
exit(alarmCount === 0 ? 0 : 1);

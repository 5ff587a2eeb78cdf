/**
 * Tries the contract on four correct clients under all pairs of choices, with several seeds each, and lists the rules that
 * they break: false alarms. It takes minutes. Names of clients may be given as arguments.
 */

import { argv, exit, stdout } from "node:process";
import { coveringArray } from "../../../src/index.ts";
import { nonDefaultChoices } from "../../../src/spec/assumptions/resolve.ts";
import { clientNames, tryContract } from "./correct-clients.ts";

const SEEDS = 10;
const RUNS = 3;

const wanted = clientNames.filter((name) => argv.length === 2 || argv.includes(name));
let alarmCount = 0;
for (const client of wanted) {
  let held = 0;
  for (const [row, assumptions] of coveringArray({ strength: 2 }).entries()) {
    for (let sequenceSeed = 1; sequenceSeed <= SEEDS; sequenceSeed += 1) {
      const tried = await tryContract(client, {
        assumptions,
        sequenceSeed,
        runs: RUNS,
        globals: "replaced",
      });
      held += tried.held;
      alarmCount += tried.alarms.length;
      const choices = JSON.stringify(nonDefaultChoices(assumptions));
      for (const alarm of tried.alarms)
        stdout.write(`${client}, row ${row}, seed ${sequenceSeed}: ${alarm}\n  ${choices}\n`);
    }
  }
  stdout.write(`${client}: rules held ${held} times\n`);
}
stdout.write(`${alarmCount} false alarms\n`);
exit(alarmCount === 0 ? 0 : 1);

/**
 * Tries many sessions of correct clients, and prints the rules that they break: false alarms.
 *
 *     npm run test:false-alarms -- [CLIENT ...] [--sessions 15000] [--seed 1]
 */

import { exit, stdout } from "node:process";
import { parseArgs } from "node:util";
import { alarmOf, correctClients, trialsOf } from "./correct-clients.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** Of each client. */
    sessions: { type: "string", default: "15000" },
    seed: { type: "string", default: "1" },
  },
});
const clients = positionals.length > 0 ? positionals : Object.keys(correctClients);
const trials = trialsOf(clients, Number(values.sessions), Number(values.seed));

let alarms = 0;
for (const trial of trials) {
  const alarm = await alarmOf(trial);
  if (alarm === undefined) continue;
  alarms += 1;
  stdout.write(`${alarm}\n`);
}
const sessions = trials.reduce((sum, { runs }) => sum + runs, 0);
stdout.write(`${alarms} false alarms in ${sessions} sessions of ${clients.join(", ")}\n`);
exit(alarms === 0 ? 0 : 1);

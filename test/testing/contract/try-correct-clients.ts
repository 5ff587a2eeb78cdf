/**
 * Tries many sessions of correct clients, and prints the rules that they break: false alarms.
 *
 *     npm run test:false-alarms -- [CLIENT ...] [--sessions 15000] [--seed 1] [--processes 2]
 */

import { exit, stdout } from "node:process";
import { parseArgs } from "node:util";
import { spread } from "../defects/spread.ts";
import { alarmOf, correctClients, type Trial, trialsOf } from "./correct-clients.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** Of each client. */
    sessions: { type: "string", default: "15000" },
    seed: { type: "string", default: "1" },
    processes: { type: "string", default: "2" },
  },
});
const clients = positionals.length > 0 ? positionals : Object.keys(correctClients);
const trials = trialsOf(clients, Number(values.sessions), Number(values.seed));

const alarms: string[] = [];
const isOver = await spread(
  trials,
  Number(values.processes),
  async (trial: Trial) => (await alarmOf(trial)) ?? "",
  (alarm) => {
    if (alarm === "") return;
    alarms.push(alarm);
    stdout.write(`${alarm}\n`);
  },
);
if (isOver) {
  const sessions = trials.reduce((sum, { runs }) => sum + runs, 0);
  stdout.write(`${alarms.length} false alarms in ${sessions} sessions of ${clients.join(", ")}\n`);
  exit(alarms.length === 0 ? 0 : 1);
}

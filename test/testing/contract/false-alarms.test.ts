/**
 * Correct clients keep every rule, whatever is assumed and wherever the machine is. Each run tries other sessions;
 * `npm run test:false-alarms` tries many more.
 */

import { expect, test } from "vitest";
import { runsOf, someOf } from "../../budget.ts";
import { alarmOf, correctClients, trialsOf } from "./correct-clients.ts";

const seed = Math.floor(Math.random() * 1e9);
const trials = someOf(trialsOf(Object.keys(correctClients), runsOf(3000, 300), seed));

test.each(trials)(
  "no rule is broken by the $client client under row $row",
  async (trial) => expect(await alarmOf(trial)).toBeUndefined(),
  600_000,
);

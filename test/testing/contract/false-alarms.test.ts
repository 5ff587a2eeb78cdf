/** Correct clients keep every rule, whatever is assumed. `npm run test:false-alarms` tries many more sessions. */

import { expect, test } from "vitest";
import { runsOf, someOf } from "../../budget.ts";
import { alarmOf, correctClients, trialsOf } from "./correct-clients.ts";

const trials = someOf(trialsOf(Object.keys(correctClients), runsOf(1500, 150), 1));

test.each(trials)(
  "no rule is broken by the $client client under row $row",
  async (trial) => expect(await alarmOf(trial)).toBeUndefined(),
  600_000,
);

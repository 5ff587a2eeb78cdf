/**
 * Correct clients of four kinds keep every rule, whatever is assumed and wherever the machine is. The time zones take turns;
 * `npm run test:false-alarms` tries each with everything, and more sequences.
 */

import { expect, test } from "vitest";
import { coveringArray } from "../../../src/index.ts";
import { nonDefaultChoices } from "../../../src/spec/assumptions/resolve.ts";
import { rules } from "../../../src/testing/contract/rules.ts";
import { someOf } from "../../budget.ts";
import { clientNames, timeZones, tryContract } from "./correct-clients.ts";

const rows = coveringArray({ strength: 2 });
const trials = someOf(
  clientNames.flatMap((client) => rows.map((assumptions, row) => ({ client, row, assumptions }))),
).map((trial, place) => ({ ...trial, timeZone: timeZones[place % timeZones.length] }));

test.each(trials)(
  "no rule is broken by the $client client under row $row of all pairs in $timeZone",
  async (trial) => {
    const { client, row, assumptions, timeZone } = trial;
    const { alarms, held } = await tryContract(client, {
      assumptions,
      sequenceSeed: row,
      runs: 1,
      globals: "replaced",
      timeZone,
    });
    expect(alarms, JSON.stringify(nonDefaultChoices(assumptions))).toEqual([]);
    // A single sequence doesn't come near every rule.
    expect(held).toBeGreaterThan(rules.length / 4);
  },
);

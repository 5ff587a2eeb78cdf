/** Correct clients of four kinds keep every rule, whatever is assumed. `npm run test:false-alarms` tries more sequences. */

import { expect, test } from "vitest";
import { coveringArray } from "../../../src/index.ts";
import { nonDefaultChoices } from "../../../src/spec/assumptions/resolve.ts";
import { rules } from "../../../src/testing/contract/rules.ts";
import { someOf } from "../../budget.ts";
import { clientNames, tryContract } from "./correct-clients.ts";

const rows = coveringArray({ strength: 2 });
const trials = someOf(
  clientNames.flatMap((client) => rows.map((assumptions, row) => ({ client, row, assumptions }))),
);

test.each(trials)(
  "no rule is broken by the $client client under row $row of all pairs",
  async (trial) => {
    const { client, row, assumptions } = trial;
    const { alarms, held } = await tryContract(client, {
      assumptions,
      sequenceSeed: row,
      runs: 1,
      globals: "replaced",
    });
    expect(alarms, JSON.stringify(nonDefaultChoices(assumptions))).toEqual([]);
    // A single sequence doesn't come near every rule.
    expect(held).toBeGreaterThan(rules.length / 4);
  },
);

/** What a client must survive: more payouts than one answer lists, and no way to ask for the rest. */

import { defineScenario, type Step } from "../src/scenario.ts";
import { assume, error, leaves, ok, ref, signUp } from "./words.ts";

const publisher = "station";

/** The list has so many payouts, from the first date to the last. */
function listed(as: string, limit: number | undefined, length: number, dates: string[]): Step[] {
  const [first = "", last = ""] = dates;
  return [
    {
      publisher,
      payouts: limit === undefined ? {} : { limit },
      as,
      expect: ok({ payouts: { length }, pending_inr: 0 }),
    },
    { expect: { of: `${as}.payouts.0.date`, is: first } },
    { expect: { of: `${as}.payouts.${length - 1}.date`, is: last } },
  ];
}

function refused(limit: string | number): Step {
  const expect = error(400, "invalid_parameter", "limit");
  return { publisher, payouts: { limit }, expect };
}

export const scenario = defineScenario({
  name: "long-payout-list",
  about:
    "There are 150 payouts, more than one answer can list, and no way to ask for the rest. An answer lists the 20 newest, or up to 100 if asked. A limit that isn't valid is refused with an error that names it; one above 100 may also count as 100.",
  steps: [
    signUp(publisher, { Board: 10_000 }),
    {
      repeat: {
        times: 150,
        every: "31d",
        steps: [{ repeat: { times: 50, steps: [{ publisher, impression: {} }] } }],
      },
      note: "Exactly 500 INR in each of 150 months, paid in the month after.",
      expect: { sent: 7500, ok: 7500, creditedInr: 75_000 },
    },
    ...listed("usual", undefined, 20, ["2038-10-07", "2037-02-07"]),
    {
      expect: {
        of: "usual.payouts",
        is: { every: { amount_inr: 500, status: "paid", txn_id: { not: "" } } },
      },
    },
    ...listed("one", 1, 1, ["2038-10-07", "2038-10-07"]),
    { publisher, payouts: { limit: 20 }, expect: { ...leaves(57), body: ref("usual") } },
    ...listed("more", 21, 21, ["2038-10-07", "2037-01-07"]),
    ...listed("most", 100, 100, ["2038-10-07", "2030-05-07"]),
    ...[0, -1, 101, 1.5, "many", "", "1e2", "9007199254740993"].map(refused),
    assume("payout.limit-over-max", "clamp", "This service treats 101 as 100."),
    { publisher, payouts: { limit: 101 }, expect: ok(ref("most")) },
    ...[0, -1].map(refused),
    assume("payout.order", "oldest-first", "This service lists the oldest first."),
    ...listed("oldest", 100, 100, ["2026-02-07", "2034-07-07"]),
    {
      expect: { of: "oldest.payouts.50.id", is: ref("most.payouts.99.id") },
      note: "The 51st of 150 is the last of the newest hundred.",
    },
    ...listed("oldestUsual", undefined, 20, ["2026-02-07", "2027-09-07"]),
  ],
});

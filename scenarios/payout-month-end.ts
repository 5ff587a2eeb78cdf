/** What a client must survive: months that earn too little for a payout, then one payout for all of them. */

import { defineScenario, type Step } from "../src/scenario.ts";
import { ok, ref, report, signUp } from "./words.ts";

const publisher = "station";

/** So many impressions, at 10 INR each. */
function earn(times: number, by = publisher): Step {
  const steps = [{ publisher: by, impression: {} }];
  return { repeat: { times, steps }, expect: { ok: times, creditedInr: 10 * times } };
}

/** Nothing is paid. */
function pending(inr: number, note: string, by = publisher): Step {
  return { expect: { publisher: by, payouts: {}, is: { payouts: [], pending_inr: inr } }, note };
}

export const scenario = defineScenario({
  name: "payout-month-end",
  about:
    "Two months earn less than the 500 INR that a payout needs. They are paid together with the third month, on the 7th of the fourth. An event in the last millisecond of a month belongs to that month, and 499.99 INR is not enough.",
  steps: [
    signUp(publisher, { Board: 10_000 }),
    signUp("rival", { Board: 10_000, "Cheap board": 9990 }),
    earn(20),
    { advance: { to: "2026-02-07T00:00:00Z" } },
    pending(200, "January's pay day: 200 INR is too little."),
    earn(20),
    { advance: { to: "2026-03-07T12:00:00Z" } },
    pending(400, "February's pay day: 400 INR is too little as well."),
    earn(49, "rival"),
    {
      publisher: "rival",
      impression: { surface: ref("rival.surfaces.1.id") },
      expect: ok({ revenue_credited_inr: 9.99 }),
    },
    earn(9),
    { advance: { to: "2026-03-31T23:59:59.999Z" } },
    { ...earn(1), note: "March's last millisecond makes it 500." },
    { advance: 1 },
    { ...earn(1), note: "April's first millisecond belongs to April." },
    { advance: { to: "2026-04-06T23:59:59.999Z" } },
    pending(510, "The last millisecond before the pay day."),
    { advance: 1, note: "On 7 April three months are paid at once." },
    {
      publisher,
      payouts: {},
      as: "paid",
      expect: ok({
        payouts: [{ date: "2026-04-07", amount_inr: 500, status: "paid", txn_id: { not: "" } }],
        pending_inr: 10,
      }),
    },
    pending(499.99, "It is one paisa short, and rolls over …", "rival"),
    earn(1, "rival"),
    earn(60),
    { advance: { to: "2026-05-07T00:00:00Z" } },
    {
      expect: {
        publisher: "rival",
        payouts: {},
        is: { payouts: [{ date: "2026-05-07", amount_inr: 509.99 }], pending_inr: 0 },
      },
      note: "… and is paid with April's.",
    },
    { advance: { to: "2026-08-31T00:00:00Z" }, note: "Months without revenue have no payout." },
  ],
  expectations: [
    {
      publisher,
      payouts: {},
      is: {
        payouts: [{ date: "2026-05-07", amount_inr: 610 }, ref("paid.payouts.0")],
        pending_inr: 0,
      },
    },
    report(["2026-01-01", "2026-03-31"], { impressions: 50, revenue_inr: 500 }, publisher),
    report(["2026-04-01", "2026-04-30"], { impressions: 61, revenue_inr: 610 }, publisher),
  ],
});

/** What a client must survive: months that earn too little for a payout, then one payout for all of them. */

import { defineScenario, type Scenario } from "../src/scenario.ts";

const nothingPaid = (pending: number): { payouts: []; pending_inr: number } => ({
  payouts: [],
  pending_inr: pending,
});

export const scenario: Scenario = defineScenario({
  name: "payout-month-end",
  about:
    "Two months earn less than the 500 INR that a payout needs. They are paid together with the third month, on the 7th of the fourth. An event in the last millisecond of a month belongs to that month, and 499.99 INR is not enough.",
  steps: [
    {
      signUp: { surfaces: [{ name: "Board", cpmRange: [10_000, 10_000] }] },
      as: "station",
      note: "10 INR for each impression.",
    },
    {
      signUp: {
        surfaces: [
          { name: "Board", cpmRange: [10_000, 10_000] },
          { name: "Cheap board", cpmRange: [9990, 9990] },
        ],
      },
      as: "rival",
    },
    {
      repeat: { times: 20, steps: [{ publisher: "station", impression: {} }] },
      expect: { ok: 20, creditedInr: 200 },
    },
    {
      publisher: "station",
      payouts: {},
      expect: { status: 200, body: nothingPaid(200) },
    },
    { advance: { to: "2026-02-07T00:00:00Z" }, note: "January's pay day: 200 INR is too little." },
    { expect: { publisher: "station", payouts: {}, is: nothingPaid(200) } },
    { repeat: { times: 20, steps: [{ publisher: "station", impression: {} }] } },
    {
      advance: { to: "2026-03-07T12:00:00Z" },
      note: "February's pay day: 400 INR is too little as well.",
    },
    { expect: { publisher: "station", payouts: {}, is: nothingPaid(400) } },
    {
      repeat: { times: 49, steps: [{ publisher: "rival", impression: {} }] },
      expect: { creditedInr: 490 },
    },
    {
      publisher: "rival",
      impression: { surface: { ref: "rival.surfaces.1.id" } },
      note: "499.99 INR in March.",
      expect: { status: 200, body: { revenue_credited_inr: 9.99 } },
    },
    { repeat: { times: 9, steps: [{ publisher: "station", impression: {} }] } },
    { advance: { to: "2026-03-31T23:59:59.999Z" } },
    {
      publisher: "station",
      impression: {},
      note: "March's last millisecond makes it 500.",
      expect: { status: 200, body: { revenue_credited_inr: 10 } },
    },
    { advance: 1 },
    {
      publisher: "station",
      impression: {},
      note: "April's first millisecond belongs to April.",
      expect: { status: 200, body: { revenue_credited_inr: 10 } },
    },
    { expect: { publisher: "station", payouts: {}, is: nothingPaid(510) } },
    { advance: { to: "2026-04-06T23:59:59.999Z" } },
    { expect: { publisher: "station", payouts: {}, is: nothingPaid(510) } },
    { advance: 1, note: "On 7 April three months are paid at once." },
    {
      publisher: "station",
      payouts: {},
      as: "paid",
      expect: {
        status: 200,
        body: {
          payouts: [
            {
              date: "2026-04-07",
              amount_inr: 500,
              status: "paid",
              upi_id: { type: "string" },
              txn_id: { not: "" },
            },
          ],
          pending_inr: 10,
        },
      },
    },
    {
      expect: { publisher: "rival", payouts: {}, is: nothingPaid(499.99) },
      note: "It is one paisa short, and rolls over …",
    },
    {
      publisher: "rival",
      impression: {},
      expect: { status: 200, body: { revenue_credited_inr: 10 } },
    },
    {
      repeat: { times: 60, steps: [{ publisher: "station", impression: {} }] },
      note: "A good month.",
    },
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
      publisher: "station",
      payouts: {},
      is: {
        payouts: [
          { date: "2026-05-07", amount_inr: 610, id: { not: { ref: "paid.payouts.0.id" } } },
          {
            id: { ref: "paid.payouts.0.id" },
            date: "2026-04-07",
            amount_inr: 500,
            txn_id: { ref: "paid.payouts.0.txn_id" },
          },
        ],
        pending_inr: 0,
      },
    },
    {
      publisher: "station",
      stats: { from: "2026-01-01", to: "2026-03-31" },
      is: { impressions: 50, revenue_inr: 500 },
    },
    {
      publisher: "station",
      stats: { from: "2026-04-01", to: "2026-04-30" },
      is: { impressions: 61, revenue_inr: 610 },
    },
    {
      audit: {
        balanced: true,
        publishers: [
          { books: { revenueInr: 1110, paidInr: 1110, pendingInr: 0 } },
          { books: { revenueInr: 509.99, paidInr: 509.99, pendingInr: 0 } },
        ],
      },
    },
  ],
});

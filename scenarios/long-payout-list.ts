/** What a client must survive: more payouts than one answer lists, and no way to ask for the rest. */

import { defineScenario, type Scenario, type Step } from "../src/scenario.ts";

/** Limits that aren't whole numbers from 1 to 100. */
const wrong: readonly (string | number)[] = [
  0,
  -1,
  101,
  1.5,
  "many",
  "",
  "1e2",
  "9007199254740993",
];

export const scenario: Scenario = defineScenario({
  name: "long-payout-list",
  about:
    "There are 150 payouts, more than one answer can list, and no way to ask for the rest. An answer lists the 20 newest, or up to 100 if asked. A limit that isn't valid is refused with an error that names it; one above 100 may also count as 100.",
  steps: [
    {
      signUp: { surfaces: [{ name: "Board", cpmRange: [10_000, 10_000] }] },
      as: "station",
      note: "10 INR for each impression.",
    },
    {
      repeat: {
        times: 150,
        every: "31d",
        steps: [{ repeat: { times: 50, steps: [{ publisher: "station", impression: {} }] } }],
      },
      note: "Exactly 500 INR in each of 150 months, paid in the month after.",
      expect: { sent: 7500, ok: 7500, creditedInr: 75_000 },
    },
    {
      publisher: "station",
      payouts: {},
      as: "usual",
      note: "Without a limit it is 20.",
      expect: {
        status: 200,
        headers: { "x-ratelimit-remaining": "59" },
        body: {
          payouts: { length: 20 },
          pending_inr: 0,
        },
      },
    },
    {
      expect: {
        of: "usual.payouts",
        is: { every: { amount_inr: 500, status: "paid", txn_id: { not: "" } } },
      },
    },
    { expect: { of: "usual.payouts.0.date", is: "2038-10-07" }, note: "The newest is first." },
    { expect: { of: "usual.payouts.19.date", is: "2037-02-07" } },
    {
      publisher: "station",
      payouts: { limit: 1 },
      expect: {
        status: 200,
        body: {
          payouts: [{ id: { ref: "usual.payouts.0.id" }, date: "2038-10-07" }],
          pending_inr: 0,
        },
      },
    },
    {
      publisher: "station",
      payouts: { limit: 20 },
      expect: { status: 200, body: { ref: "usual" } },
    },
    {
      publisher: "station",
      payouts: { limit: 21 },
      expect: { status: 200, body: { payouts: { length: 21 } } },
    },
    {
      publisher: "station",
      payouts: { limit: 100 },
      as: "most",
      expect: {
        status: 200,
        headers: { "x-ratelimit-remaining": "55" },
        body: { payouts: { length: 100 }, pending_inr: 0 },
      },
    },
    { expect: { of: "most.payouts.0.id", is: { ref: "usual.payouts.0.id" } } },
    { expect: { of: "most.payouts.19.id", is: { ref: "usual.payouts.19.id" } } },
    {
      expect: { of: "most.payouts.99.date", is: "2030-05-07" },
      note: "The 50 before that one can't be listed.",
    },
    ...wrong.map(
      (limit): Step => ({
        publisher: "station",
        payouts: { limit },
        expect: {
          status: 400,
          body: { status: 400, code: "invalid_parameter", parameter: "limit" },
        },
      }),
    ),
    { assume: { "payout.limit-over-max": "clamp" }, note: "This service treats 101 as 100." },
    {
      publisher: "station",
      payouts: { limit: 101 },
      expect: { status: 200, body: { ref: "most" } },
    },
    { publisher: "station", payouts: { limit: 0 }, expect: { status: 400 } },
    { publisher: "station", payouts: { limit: -1 }, expect: { status: 400 } },
    { assume: { "payout.order": "oldest-first" }, note: "This service lists the oldest first." },
    {
      publisher: "station",
      payouts: { limit: 100 },
      as: "oldest",
      expect: { status: 200, body: { payouts: { length: 100 } } },
    },
    { expect: { of: "oldest.payouts.0.date", is: "2026-02-07" } },
    {
      expect: { of: "oldest.payouts.50.id", is: { ref: "most.payouts.99.id" } },
      note: "The 51st of 150 is the last of the newest hundred.",
    },
    {
      publisher: "station",
      payouts: {},
      expect: { status: 200, body: { payouts: { length: 20 } } },
    },
  ],
  expectations: [
    {
      audit: {
        balanced: true,
        publishers: [{ books: { revenueInr: 75_000, paidInr: 75_000, pendingInr: 0 } }],
      },
    },
    {
      publisher: "station",
      stats: { from: "2026-01-15" },
      is: { impressions: 7500, clicks: 0, revenue_inr: 75_000 },
    },
  ],
});

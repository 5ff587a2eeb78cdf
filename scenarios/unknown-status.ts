/** What a client must survive: surfaces and payouts with statuses that the spec doesn't name. */

import { defineScenario, type Scenario, type Step } from "../src/scenario.ts";

/** Earns 500 INR in a month, exactly the payout minimum: 50 impressions at 10 INR each. */
function earnIn(month: string): Step[] {
  return [
    { advance: { to: `${month}-15T00:00:00Z` } },
    {
      repeat: { times: 50, steps: [{ publisher: "station", impression: {} }] },
      expect: { ok: 50, creditedInr: 500 },
    },
  ];
}

/** The payout list on a day, newest first. A payout has a reference once it is paid. */
function listedOn(day: string, ...statuses: string[]): Step[] {
  const payouts = statuses.map((status) => ({
    status,
    amount_inr: 500,
    txn_id: status === "paid" || status === "reversed" ? { not: "" } : "",
  }));
  return [
    { advance: { to: `${day}T00:00:00Z` } },
    { expect: { publisher: "station", payouts: {}, is: { payouts } } },
  ];
}

export const scenario: Scenario = defineScenario({
  name: "unknown-status",
  about:
    "Surfaces are paused, under review and archived; payouts are processing, on hold, failed and reversed. A client must show a status that it doesn't know, count only what is paid, and not crash.",
  assumptions: { "surface.statuses": "extended", "payout.statuses": "extended" },
  steps: [
    {
      surfaces: {},
      as: "seeded",
      note: "Of several surfaces the first is active, and the last isn't.",
      expect: {
        status: 200,
        body: {
          surfaces: {
            every: { status: { oneOf: ["active", "paused", "pending_review", "archived"] } },
          },
        },
      },
    },
    {
      expect: {
        answer: "seeded",
        body: { surfaces: { some: { status: { not: "active" } } } },
      },
    },
    { expect: { of: "seeded.surfaces.0.status", is: "active" } },
    {
      signUp: {
        surfaces: [
          { name: "Active", cpmRange: [10_000, 10_000] },
          { name: "Paused", status: "paused" },
          { name: "Under review", status: "pending_review" },
          { name: "Archived", status: "archived" },
        ],
      },
      as: "station",
    },
    {
      publisher: "station",
      surfaces: {},
      expect: {
        status: 200,
        body: {
          surfaces: [
            { name: "Active", status: "active", cpm_range: [10_000, 10_000] },
            { name: "Paused", status: "paused" },
            { name: "Under review", status: "pending_review" },
            { name: "Archived", status: "archived" },
          ],
        },
      },
    },
    ...[1, 2, 3].map(
      (surface): Step => ({
        publisher: "station",
        impression: { surface: { ref: `station.surfaces.${surface}.id` } },
        note: "The name of the status makes no difference: the surface is not active.",
        expect: { status: 409, body: { code: "surface_inactive", parameter: "surface" } },
      }),
    ),
    {
      publisher: "station",
      payouts: {},
      note: "Nothing earned, nothing paid.",
      expect: { status: 200, body: { payouts: [], pending_inr: 0 } },
    },
    ...earnIn("2026-01"),
    ...listedOn("2026-02-07", "processing"),
    {
      publisher: "station",
      payouts: {},
      note: "What is being processed is no longer pending.",
      expect: {
        status: 200,
        body: {
          payouts: [{ date: "2026-02-07", amount_inr: 500, status: "processing", txn_id: "" }],
          pending_inr: 0,
        },
      },
    },
    { assume: { "payout.statuses": "extended-without-txn" } },
    {
      publisher: "station",
      payouts: {},
      expect: { body: { payouts: [{ status: "processing", txn_id: { absent: true } }] } },
    },
    { assume: { "payout.statuses": "extended" } },
    ...listedOn("2026-02-09", "processing"),
    ...listedOn("2026-02-10", "paid"),
    ...earnIn("2026-02"),
    ...listedOn("2026-03-07", "processing", "paid"),
    ...listedOn("2026-03-10", "failed", "paid"),
    ...earnIn("2026-03"),
    ...listedOn("2026-04-01", "processing", "paid"),
    ...listedOn("2026-04-03", "paid", "paid"),
    ...listedOn("2026-04-10", "paid", "paid", "paid"),
    ...earnIn("2026-04"),
    ...listedOn("2026-04-21", "paid", "paid", "paid"),
    ...listedOn("2026-04-22", "reversed", "paid", "paid"),
    ...listedOn("2026-05-07", "processing", "reversed", "paid", "paid"),
    ...earnIn("2026-05"),
    ...listedOn("2026-06-10", "on_hold", "paid", "reversed", "paid", "paid"),
    ...listedOn("2026-07-16", "on_hold", "paid", "reversed", "paid", "paid"),
    ...listedOn("2026-07-17", "processing", "paid", "reversed", "paid", "paid"),
    ...listedOn("2026-07-19", "paid", "paid", "reversed", "paid", "paid"),
  ],
  expectations: [
    {
      publisher: "station",
      stats: { from: "2026-01-01" },
      is: { impressions: 250, revenue_inr: 2500 },
    },
    {
      publisher: "station",
      payouts: {},
      is: { payouts: { every: { amount_inr: 500 } }, pending_inr: 0 },
    },
    {
      audit: {
        balanced: true,
        publishers: {
          some: {
            publisher: { ref: "station.id" },
            books: { revenueInr: 2500, paidInr: 2500, pendingInr: 0 },
          },
        },
      },
    },
  ],
});

/** What a client must survive: surfaces and payouts with statuses that the spec doesn't name. */

import { defineScenario, type Step } from "../src/scenario.ts";
import { assume, error, ok, ref } from "./words.ts";

const publisher = "station";

/** Earns 500 INR in a month, exactly the payout minimum: 50 impressions at 10 INR each. */
function earnIn(month: string): Step[] {
  return [
    { advance: { to: `${month}-15T00:00:00Z` } },
    {
      repeat: { times: 50, steps: [{ publisher, impression: {} }] },
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
    { expect: { publisher, payouts: {}, is: { payouts } } },
  ];
}

const surfaces = [
  { name: "Active", cpmRange: [10_000, 10_000] },
  { name: "Paused", status: "paused" },
  { name: "Under review", status: "pending_review" },
  { name: "Archived", status: "archived" },
] as const;

export const scenario = defineScenario({
  name: "unknown-status",
  about:
    "Surfaces are paused, under review and archived; payouts are processing, on hold, failed and reversed. A client must show a status that it doesn't know, count only what is paid, and not crash.",
  assumptions: { "surface.statuses": "extended", "payout.statuses": "extended" },
  steps: [
    {
      surfaces: {},
      note: "Of a seeded publisher's surfaces some aren't active.",
      expect: ok({ surfaces: { some: { status: { not: "active" } } } }),
    },
    { signUp: { surfaces }, as: publisher },
    {
      publisher,
      surfaces: {},
      expect: ok({
        surfaces: surfaces.map((one) => ({
          name: one.name,
          status: "status" in one ? one.status : "active",
        })),
      }),
    },
    ...[1, 2, 3].map(
      (index): Step => ({
        publisher,
        impression: { surface: ref(`station.surfaces.${index}.id`) },
        note: "The name of the status makes no difference: the surface is not active.",
        expect: error(409, "surface_inactive", "surface"),
      }),
    ),
    ...earnIn("2026-01"),
    ...listedOn("2026-02-07", "processing"),
    assume("payout.statuses", "extended-without-txn"),
    {
      publisher,
      payouts: {},
      note: "What is being processed is no longer pending.",
      expect: {
        body: { payouts: [{ status: "processing", txn_id: { absent: true } }], pending_inr: 0 },
      },
    },
    assume("payout.statuses", "extended"),
    ...listedOn("2026-02-09", "processing"),
    ...listedOn("2026-02-10", "paid"),
    ...earnIn("2026-02"),
    ...listedOn("2026-03-10", "failed", "paid"),
    ...earnIn("2026-03"),
    ...listedOn("2026-04-10", "paid", "paid", "paid"),
    ...earnIn("2026-04"),
    ...listedOn("2026-04-21", "paid", "paid", "paid"),
    ...listedOn("2026-04-22", "reversed", "paid", "paid"),
    ...earnIn("2026-05"),
    ...listedOn("2026-06-10", "on_hold", "paid", "reversed", "paid", "paid"),
    ...listedOn("2026-07-16", "on_hold", "paid", "reversed", "paid", "paid"),
    ...listedOn("2026-07-17", "processing", "paid", "reversed", "paid", "paid"),
    ...listedOn("2026-07-19", "paid", "paid", "reversed", "paid", "paid"),
  ],
});

/** What a client must survive: a publisher that signed up today and has no data yet. */

import { defineScenario } from "../src/scenario.ts";
import { assume, credited, error, leaves, ok, ref } from "./words.ts";

const publisher = "newcomer";
const nothing = { impressions: 0, clicks: 0, revenue_inr: 0 };
const surface = ref("newcomer.surfaces.0.id");

export const scenario = defineScenario({
  name: "fresh-publisher",
  about:
    "A publisher signs up and has no data at all: zeros, empty lists, and no payout for months. Then the first impression comes. A dashboard must show this without dividing by zero or waiting for rows that never come.",
  publishers: 1,
  steps: [
    { signUp: {}, as: publisher },
    {
      stats: {},
      publisher,
      expect: {
        ...leaves(59),
        body: {
          ...nothing,
          publisher_id: ref("newcomer.id"),
          period: { from: "2025-12-16", to: "2026-01-15" },
          surfaces: [{ id: surface, impressions: 0, revenue: 0 }],
        },
      },
    },
    { stats: { surface }, publisher, expect: ok(nothing) },
    {
      surfaces: {},
      publisher,
      expect: ok({
        surfaces: [{ id: surface, name: "Main", status: "active", cpm_range: [10, 50] }],
      }),
    },
    { payouts: {}, publisher, expect: { ...leaves(56), body: { payouts: [], pending_inr: 0 } } },
    {
      stats: { publisher_id: ref("newcomer.id") },
      note: "The key of another publisher sees nothing of it.",
      expect: error(403, "foreign_publisher"),
    },
    assume("stats.surfaces", "with-traffic"),
    {
      stats: {},
      publisher,
      note: "If only surfaces with traffic are listed, the list is empty.",
      expect: ok({ ...nothing, surfaces: [] }),
    },
    { advance: "90d", note: "Three months of nothing, three days of payment." },
    { payouts: {}, publisher, expect: ok({ payouts: [], pending_inr: 0 }) },
    { impression: {}, publisher, as: "first", expect: credited },
    {
      stats: {},
      publisher,
      expect: ok({
        impressions: 1,
        revenue_inr: ref("first.revenue_credited_inr"),
        surfaces: [{ id: surface, impressions: 1, revenue: ref("first.revenue_credited_inr") }],
      }),
    },
    {
      payouts: {},
      publisher,
      expect: ok({ payouts: [], pending_inr: ref("first.revenue_credited_inr") }),
    },
  ],
});

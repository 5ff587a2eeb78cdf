/** What a client must survive: a publisher that signed up today and has no data yet. */

import { defineScenario, type Scenario } from "../src/scenario.ts";

export const scenario: Scenario = defineScenario({
  name: "fresh-publisher",
  about:
    "A publisher signs up and has no data at all: zeros, empty lists, and no payout for months. Then the first impression comes. A dashboard must show this without dividing by zero or waiting for rows that never come.",
  publishers: 1,
  steps: [
    { signUp: {}, as: "newcomer" },
    {
      stats: {},
      publisher: "newcomer",
      expect: {
        status: 200,
        headers: { "x-ratelimit-remaining": "59" },
        body: {
          publisher_id: { ref: "newcomer.id" },
          period: { from: "2025-12-16", to: "2026-01-15" },
          impressions: 0,
          clicks: 0,
          revenue_inr: 0,
          surfaces: [{ id: { ref: "newcomer.surfaces.0.id" }, impressions: 0, revenue: 0 }],
        },
      },
    },
    {
      stats: { surface: { ref: "newcomer.surfaces.0.id" } },
      publisher: "newcomer",
      expect: { status: 200, body: { impressions: 0, clicks: 0, revenue_inr: 0 } },
    },
    {
      surfaces: {},
      publisher: "newcomer",
      expect: {
        status: 200,
        body: {
          surfaces: [
            {
              id: { ref: "newcomer.surfaces.0.id" },
              name: "Main",
              status: "active",
              cpm_range: [10, 50],
            },
          ],
        },
      },
    },
    {
      payouts: {},
      publisher: "newcomer",
      expect: {
        status: 200,
        headers: { "x-ratelimit-remaining": "56" },
        body: { payouts: [], pending_inr: 0 },
      },
    },
    { payouts: { limit: 1 }, publisher: "newcomer", expect: { body: { payouts: [] } } },
    {
      stats: { publisher_id: { ref: "newcomer.id" } },
      note: "The key of another publisher sees nothing of it.",
      expect: { status: 403 },
    },
    { assume: { "stats.surfaces": "with-traffic" } },
    {
      stats: {},
      publisher: "newcomer",
      note: "If only surfaces with traffic are listed, the list is empty.",
      expect: { status: 200, body: { impressions: 0, revenue_inr: 0, surfaces: [] } },
    },
    { assume: { "stats.surfaces": "all" } },
    { advance: "90d", note: "Three months of nothing, three days of payment." },
    {
      payouts: {},
      publisher: "newcomer",
      expect: { status: 200, body: { payouts: [], pending_inr: 0 } },
    },
    { impression: {}, publisher: "newcomer", as: "first", expect: { status: 200 } },
    {
      stats: {},
      publisher: "newcomer",
      expect: {
        status: 200,
        body: {
          impressions: 1,
          clicks: 0,
          revenue_inr: { ref: "first.revenue_credited_inr" },
          surfaces: [
            {
              id: { ref: "newcomer.surfaces.0.id" },
              impressions: 1,
              revenue: { ref: "first.revenue_credited_inr" },
            },
          ],
        },
      },
    },
    {
      payouts: {},
      publisher: "newcomer",
      expect: {
        status: 200,
        body: { payouts: [], pending_inr: { ref: "first.revenue_credited_inr" } },
      },
    },
  ],
  expectations: [
    {
      of: "first.revenue_credited_inr",
      is: { between: [0.01, 0.05] },
    },
    {
      stats: { from: "2000-01-01", to: "2026-04-14" },
      publisher: "newcomer",
      is: { impressions: 0, clicks: 0, revenue_inr: 0 },
    },
    { audit: { total: { attempts: 1, applied: 1 }, balanced: true } },
  ],
});

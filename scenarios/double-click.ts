/** What a client must survive: the same click sent twice, which earns at most once and may be refused. */

import { defineScenario, type Scenario } from "../src/scenario.ts";

export const scenario: Scenario = defineScenario({
  name: "double-click",
  about:
    "A click is sent twice, then ten times at once. It earns once. Depending on the service, a repeat gets the same id with 0 credited, the first answer again, or 409.",
  steps: [
    { impression: {}, as: "shown", expect: { status: 200 } },
    {
      click: { impression_id: { ref: "shown.impression_id" } },
      as: "click",
      expect: {
        status: 200,
        headers: { "x-ratelimit-remaining": "9998" },
        body: { ok: true, click_id: { type: "string" }, revenue_credited_inr: { atLeast: 0.01 } },
      },
    },
    {
      click: { impression_id: { ref: "shown.impression_id" } },
      note: "A double click: the same id, and nothing earned.",
      expect: {
        status: 200,
        // A repeat spends quota like any other request.
        headers: { "x-ratelimit-remaining": "9997" },
        body: { ok: true, click_id: { ref: "click.click_id" }, revenue_credited_inr: 0 },
      },
    },
    {
      parallel: {
        times: 10,
        steps: [{ click: { impression_id: { ref: "shown.impression_id" } } }],
      },
      note: "A retry loop that doesn't wait for answers.",
      expect: { sent: 10, statuses: { "200": 10 }, differentIds: 1, creditedInr: 0 },
    },
    { advance: "1d" },
    {
      click: { impression_id: { ref: "shown.impression_id" } },
      note: "The next day it is still the same click.",
      expect: {
        status: 200,
        body: { click_id: { ref: "click.click_id" }, revenue_credited_inr: 0 },
      },
    },
    {
      expect: {
        stats: { from: "2026-01-15", to: "2026-01-16" },
        is: {
          impressions: 1,
          clicks: 1,
          revenue_inr: {
            sum: [{ ref: "shown.revenue_credited_inr" }, { ref: "click.revenue_credited_inr" }],
          },
        },
      },
    },
    { assume: { "click.repeat": "replay" }, note: "Now the repeat gets the first answer again." },
    {
      click: { impression_id: { ref: "shown.impression_id" } },
      expect: {
        status: 200,
        body: {
          click_id: { ref: "click.click_id" },
          revenue_credited_inr: { ref: "click.revenue_credited_inr" },
        },
      },
    },
    { assume: { "click.repeat": "conflict" } },
    {
      click: { impression_id: { ref: "shown.impression_id" } },
      expect: {
        status: 409,
        headers: { "content-type": "application/problem+json" },
        body: { status: 409, code: "duplicate_click", parameter: "impression_id" },
      },
    },
    {
      expect: {
        audit: {
          balanced: true,
          total: { clicks: { attempts: 15, applied: 1, duplicatesSuppressed: 14, refused: 0 } },
        },
      },
    },
    {
      assume: { "click.repeat": "count" },
      note: "This service counts every click: a client mustn't rely on being protected.",
    },
    {
      click: { impression_id: { ref: "shown.impression_id" } },
      as: "counted",
      expect: {
        status: 200,
        body: {
          click_id: { not: { ref: "click.click_id" } },
          revenue_credited_inr: { ref: "click.revenue_credited_inr" },
        },
      },
    },
  ],
  expectations: [
    { stats: { from: "2026-01-15", to: "2026-01-15" }, is: { impressions: 1, clicks: 1 } },
    {
      stats: { from: "2026-01-16" },
      is: {
        impressions: 0,
        clicks: 1,
        revenue_inr: { ref: "counted.revenue_credited_inr" },
      },
    },
    {
      audit: {
        balanced: true,
        total: { clicks: { attempts: 16, applied: 2, duplicatesSuppressed: 14 } },
      },
    },
  ],
});

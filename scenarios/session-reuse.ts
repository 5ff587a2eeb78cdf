/** What a client must survive: one session id for several surfaces, ads and publishers. */

import { defineScenario, type Scenario } from "../src/scenario.ts";

export const scenario: Scenario = defineScenario({
  name: "session-reuse",
  about:
    "One session id is used for two surfaces, two ads and two publishers. The service decides what a duplicate is: the same session with the same surface and ad, or alone. Sessions of two publishers are never duplicates, and ids that look alike are different.",
  publishers: 2,
  steps: [
    {
      impression: { session_id: "s" },
      as: "first",
      note: "First surface, ad-1.",
      expect: { status: 200 },
    },
    {
      impression: { session_id: "s", surface: { ref: "publishers.0.surfaces.1.id" } },
      as: "otherSurface",
      expect: {
        status: 200,
        body: {
          impression_id: { not: { ref: "first.impression_id" } },
          revenue_credited_inr: { atLeast: 0.000001 },
        },
      },
    },
    {
      impression: { session_id: "s", ad_id: "ad-2" },
      as: "otherAd",
      expect: {
        status: 200,
        body: {
          impression_id: { not: { ref: "first.impression_id" } },
          revenue_credited_inr: { atLeast: 0.000001 },
        },
      },
    },
    {
      impression: { session_id: "s" },
      publisher: 1,
      as: "otherPublisher",
      expect: { status: 200, body: { revenue_credited_inr: { atLeast: 0.000001 } } },
    },
    {
      impression: { session_id: "s" },
      note: "This is the same as the first in every way.",
      expect: {
        status: 200,
        body: { impression_id: { ref: "first.impression_id" }, revenue_credited_inr: 0 },
      },
    },
    {
      impression: { session_id: "s", ad_id: "ad-2" },
      encoding: "form",
      note: "It makes no difference how it is sent.",
      expect: {
        status: 200,
        body: { impression_id: { ref: "otherAd.impression_id" }, revenue_credited_inr: 0 },
      },
    },
    {
      parallel: {
        steps: [
          { impression: { session_id: "S" } },
          { impression: { session_id: "s " } },
          { impression: { session_id: "1s", ad_id: "ad-" } },
          { impression: { session_id: "-1s", ad_id: "ad" } },
          { impression: { session_id: "é" } },
          { impression: { session_id: "e\u0301" } },
        ],
      },
      as: "lookalikes",
      note: "Case and spaces count, ad and session are compared separately, and texts aren't normalised.",
      expect: { sent: 6, ok: 6, differentIds: 6 },
    },
    { assume: { "dedup.key": "session" } },
    { impression: { session_id: "u" }, as: "only", expect: { status: 200 } },
    {
      impression: {
        session_id: "u",
        ad_id: "ad-2",
        surface: { ref: "publishers.0.surfaces.1.id" },
      },
      note: "Now the session alone counts: it gets the id of an impression on another surface.",
      expect: {
        status: 200,
        body: { impression_id: { ref: "only.impression_id" }, revenue_credited_inr: 0 },
      },
    },
    {
      impression: { session_id: "u" },
      publisher: 1,
      as: "stillApart",
      note: "Publishers don't affect each other.",
      expect: { status: 200, body: { revenue_credited_inr: { atLeast: 0.000001 } } },
    },
    {
      click: { impression_id: { ref: "otherPublisher.impression_id" } },
      note: "Their impressions don't either.",
      expect: { status: 404, body: { code: "impression_not_found" } },
    },
  ],
  expectations: [
    {
      stats: { from: "2026-01-15" },
      is: {
        impressions: 10,
        clicks: 0,
        revenue_inr: {
          sum: [
            { ref: "first.revenue_credited_inr" },
            { ref: "otherSurface.revenue_credited_inr" },
            { ref: "otherAd.revenue_credited_inr" },
            { ref: "lookalikes.creditedInr" },
            { ref: "only.revenue_credited_inr" },
          ],
        },
      },
    },
    {
      stats: { from: "2026-01-15", surface: { ref: "publishers.0.surfaces.1.id" } },
      is: {
        impressions: 1,
        revenue_inr: { ref: "otherSurface.revenue_credited_inr" },
      },
    },
    {
      stats: { from: "2026-01-15" },
      publisher: 1,
      is: {
        impressions: 2,
        revenue_inr: {
          sum: [
            { ref: "otherPublisher.revenue_credited_inr" },
            { ref: "stillApart.revenue_credited_inr" },
          ],
        },
      },
    },
    {
      audit: {
        total: {
          impressions: { attempts: 15, applied: 12, duplicatesSuppressed: 3 },
          clicks: { attempts: 1, refused: 1 },
        },
        balanced: true,
      },
    },
  ],
});

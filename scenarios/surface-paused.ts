/** What a client must survive: a surface is paused during traffic and becomes active again later. */

import { defineScenario, type Scenario } from "../src/scenario.ts";

export const scenario: Scenario = defineScenario({
  name: "surface-paused",
  about:
    "One of two surfaces is paused while traffic flows, and is active again later. Meanwhile its impressions get 409 and don't count. The other surface is not affected, and earlier impressions can still be clicked. Once the surface is active again it earns again.",
  steps: [
    {
      signUp: {
        surfaces: [
          { name: "Sidebar", cpmRange: [20, 80] },
          { name: "Footer", cpmRange: [20, 80] },
        ],
      },
      as: "station",
    },
    {
      publisher: "station",
      impression: { surface: { ref: "station.surfaces.1.id" }, session_id: "early" },
      as: "early",
      expect: { status: 200, body: { revenue_credited_inr: { between: [0.02, 0.08] } } },
    },
    {
      traffic: {
        for: "20s",
        arrivals: { kind: "constant", rate: "10/s" },
        publishers: ["station"],
      },
      as: "running",
      expect: { sent: 200, ok: 200 },
    },
    { publisher: "station", stats: {}, as: "before", expect: { status: 200 } },
    { setSurface: { publisher: "station", surface: 1, status: "paused" } },
    {
      publisher: "station",
      surfaces: {},
      expect: {
        status: 200,
        body: { surfaces: [{ status: "active" }, { name: "Footer", status: "paused" }] },
      },
    },
    {
      traffic: {
        for: "20s",
        arrivals: { kind: "constant", rate: "10/s" },
        publishers: ["station"],
      },
      as: "paused",
      note: "The client hasn't noticed, and shows ads on both.",
      expect: { sent: 200, ok: { atLeast: 50 }, refused: { atLeast: 50 }, failed: 0 },
    },
    {
      publisher: "station",
      impression: { surface: { ref: "station.surfaces.1.id" }, session_id: "while-paused" },
      expect: {
        status: 409,
        headers: { "content-type": "application/problem+json" },
        body: { status: 409, code: "surface_inactive", parameter: "surface" },
      },
    },
    {
      publisher: "station",
      impression: { surface: { ref: "station.surfaces.1.id" }, session_id: "early" },
      note: "An impression that was recorded before is refused too.",
      expect: { status: 409, body: { code: "surface_inactive" } },
    },
    {
      publisher: "station",
      click: { impression_id: { ref: "early.impression_id" } },
      as: "click",
      note: "The ad was on the screen already: the click counts.",
      expect: { status: 200, body: { ok: true, revenue_credited_inr: { atLeast: 0.01 } } },
    },
    {
      traffic: {
        for: "10s",
        arrivals: { kind: "constant", rate: "10/s" },
        publishers: ["station"],
        surfaces: 1,
      },
      as: "adapted",
      note: "Now the client has noticed, and sends for the first surface only.",
      expect: { sent: 100, ok: 100, refused: 0 },
    },
    {
      publisher: "station",
      stats: {},
      as: "while",
      expect: {
        status: 200,
        body: {
          impressions: {
            sum: [{ ref: "before.impressions" }, { ref: "paused.ok" }, { ref: "adapted.ok" }],
          },
          clicks: 1,
          surfaces: [
            {
              id: { ref: "station.surfaces.0.id" },
              impressions: {
                sum: [
                  { ref: "before.surfaces.0.impressions" },
                  { ref: "paused.ok" },
                  { ref: "adapted.ok" },
                ],
              },
            },
            {
              id: { ref: "station.surfaces.1.id" },
              impressions: { ref: "before.surfaces.1.impressions" },
              revenue: {
                sum: [{ ref: "before.surfaces.1.revenue" }, { ref: "click.revenue_credited_inr" }],
              },
            },
          ],
        },
      },
    },
    {
      assume: { "surface.inactive": "uncredited" },
      note: "This service records without paying: 200, and 0 credited.",
    },
    {
      publisher: "station",
      impression: { surface: { ref: "station.surfaces.1.id" }, session_id: "unpaid" },
      as: "unpaid",
      expect: { status: 200, body: { ok: true, revenue_credited_inr: 0 } },
    },
    { setSurface: { publisher: "station", surface: 1, status: "active" } },
    {
      publisher: "station",
      impression: { surface: { ref: "station.surfaces.1.id" }, session_id: "while-paused" },
      as: "resumed",
      note: "What was refused is recorded now …",
      expect: { status: 200, body: { revenue_credited_inr: { between: [0.02, 0.08] } } },
    },
    {
      publisher: "station",
      impression: { surface: { ref: "station.surfaces.1.id" }, session_id: "unpaid" },
      note: "… what was recorded unpaid stays unpaid.",
      expect: {
        status: 200,
        body: { impression_id: { ref: "unpaid.impression_id" }, revenue_credited_inr: 0 },
      },
    },
  ],
  expectations: [
    {
      publisher: "station",
      stats: {},
      is: {
        impressions: { sum: [{ ref: "while.impressions" }, 2] },
        clicks: 1,
        revenue_inr: {
          sum: [
            { ref: "early.revenue_credited_inr" },
            { ref: "running.creditedInr" },
            { ref: "paused.creditedInr" },
            { ref: "click.revenue_credited_inr" },
            { ref: "adapted.creditedInr" },
            { ref: "resumed.revenue_credited_inr" },
          ],
        },
      },
    },
    {
      audit: {
        balanced: true,
        total: {
          impressions: {
            attempts: 506,
            applied: { sum: [{ ref: "while.impressions" }, 2] },
            refused: { sum: [{ ref: "paused.refused" }, 2] },
            duplicatesSuppressed: 1,
          },
        },
      },
    },
  ],
});

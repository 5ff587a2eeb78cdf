/** What a client must survive: a click on an impression that is unknown or belongs to another publisher. */

import { defineScenario, type Scenario } from "../src/scenario.ts";

export const scenario: Scenario = defineScenario({
  name: "orphan-click",
  about:
    "A client clicks on an impression that never existed, on one with a typing error in its id, and on another publisher's. None of these clicks counts, and nobody else's figures change.",
  steps: [
    { impression: {}, as: "mine", expect: { status: 200 } },
    { publisher: 1, impression: {}, as: "theirs", expect: { status: 200 } },
    {
      click: { impression_id: "imp_0000000000000" },
      as: "unknown",
      note: "Nothing of this id was ever recorded.",
      expect: {
        status: 404,
        headers: { "x-ratelimit-remaining": "9998" },
        body: { code: "impression_not_found", parameter: "impression_id", status: 404 },
      },
    },
    {
      click: { impression_id: { ref: "theirs.impression_id" } },
      note: "Another publisher's impression is answered as one that doesn't exist, to the byte.",
      expect: {
        status: 404,
        headers: { "x-ratelimit-remaining": "9997" },
        body: { code: "impression_not_found", detail: { ref: "unknown.detail" } },
      },
    },
    {
      click: { impression_id: { ref: "publishers.0.surfaces.0.id" } },
      note: "An id of another kind: that of a surface.",
      expect: { status: 404, body: { code: "impression_not_found" } },
    },
    {
      click: { impression_id: "" },
      note: "An empty text is not an id.",
      expect: { status: 400, body: { code: "invalid_parameter", parameter: "impression_id" } },
    },
    {
      raw: { method: "POST", path: "/v1/click", body: {} },
      expect: { status: 400, body: { code: "missing_parameter", parameter: "impression_id" } },
    },
    {
      publisher: 1,
      click: { impression_id: { ref: "theirs.impression_id" } },
      as: "rightful",
      note: "The attempt spent neither their quota nor their click.",
      expect: {
        status: 200,
        headers: { "x-ratelimit-remaining": "9998" },
        body: { ok: true, revenue_credited_inr: { atLeast: 0.01 } },
      },
    },
    { assume: { "click.unknown": "400" } },
    {
      click: { impression_id: { ref: "theirs.impression_id" } },
      expect: { status: 400, body: { code: "impression_not_found" } },
    },
    {
      click: { impression_id: { ref: "mine.impression_id" } },
      as: "own",
      note: "The one impression of its own is still there to be clicked.",
      expect: { status: 200, body: { revenue_credited_inr: { atLeast: 0.01 } } },
    },
  ],
  expectations: [
    {
      stats: { from: "2026-01-15" },
      is: {
        impressions: 1,
        clicks: 1,
        revenue_inr: {
          sum: [{ ref: "mine.revenue_credited_inr" }, { ref: "own.revenue_credited_inr" }],
        },
      },
    },
    {
      stats: { from: "2026-01-15" },
      publisher: 1,
      is: {
        impressions: 1,
        clicks: 1,
        revenue_inr: {
          sum: [{ ref: "theirs.revenue_credited_inr" }, { ref: "rightful.revenue_credited_inr" }],
        },
      },
    },
    {
      audit: {
        balanced: true,
        total: {
          impressions: { applied: 2 },
          clicks: { attempts: 8, applied: 2, refused: 6 },
        },
      },
    },
  ],
});

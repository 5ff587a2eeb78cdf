/** What a client must survive: a click long after its impression, when the service may no longer accept it. */

import { defineScenario, type Scenario } from "../src/scenario.ts";

export const scenario: Scenario = defineScenario({
  name: "late-click",
  about:
    "Clicks come weeks after their impressions. Without a click window they count, on the day of the click. With a window of 24 hours they count up to its last millisecond, and get 410 after it.",
  steps: [
    { impression: {}, as: "shown", expect: { status: 200 } },
    { advance: "45d" },
    {
      click: { impression_id: { ref: "shown.impression_id" } },
      as: "late",
      note: "Without a window it counts six weeks later.",
      expect: { status: 200, body: { ok: true, revenue_credited_inr: { atLeast: 0.01 } } },
    },
    {
      expect: {
        stats: { from: "2026-01-15", to: "2026-01-15" },
        is: { impressions: 1, clicks: 0, revenue_inr: { ref: "shown.revenue_credited_inr" } },
      },
    },
    {
      expect: {
        stats: { from: "2026-03-01", to: "2026-03-01" },
        is: { impressions: 0, clicks: 1, revenue_inr: { ref: "late.revenue_credited_inr" } },
      },
    },
    { assume: { "click.window": "24h" } },
    { impression: {}, as: "inTime", expect: { status: 200 } },
    { impression: {}, as: "tooLate", expect: { status: 200 } },
    { advance: 86_399_999 },
    {
      click: { impression_id: { ref: "inTime.impression_id" } },
      as: "click",
      note: "One millisecond before 24 hours are over.",
      expect: { status: 200, body: { ok: true, revenue_credited_inr: { atLeast: 0.01 } } },
    },
    { advance: 1 },
    {
      click: { impression_id: { ref: "tooLate.impression_id" } },
      note: "Exactly 24 hours after its impression.",
      expect: {
        status: 410,
        body: { code: "click_too_late", parameter: "impression_id", status: 410 },
      },
    },
    {
      click: { impression_id: { ref: "inTime.impression_id" } },
      note: "A late click gets 410 even if it repeats one that came in time.",
      expect: { status: 410, body: { code: "click_too_late" } },
    },
  ],
  expectations: [
    {
      stats: { from: "2026-03-01" },
      is: {
        impressions: 2,
        clicks: 2,
        revenue_inr: {
          sum: [
            { ref: "late.revenue_credited_inr" },
            { ref: "inTime.revenue_credited_inr" },
            { ref: "tooLate.revenue_credited_inr" },
            { ref: "click.revenue_credited_inr" },
          ],
        },
      },
    },
    { audit: { balanced: true, total: { clicks: { attempts: 4, applied: 2, refused: 2 } } } },
  ],
});

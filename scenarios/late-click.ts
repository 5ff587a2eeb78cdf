/** What a client must survive: a click long after its impression, when the service may no longer accept it. */

import { defineScenario, type Scenario, type Step } from "../src/scenario.ts";

/** An impression, and clicks in the last millisecond of the window and in the first one after it. */
function aroundTheEnd(window: "24h" | "7d" | "30d"): Step[] {
  const name = `shown${window}`;
  return [
    { assume: { "click.window": window } },
    { impression: {}, as: `${name}InTime`, expect: { status: 200 } },
    { impression: {}, as: `${name}TooLate`, expect: { status: 200 } },
    { advance: window === "24h" ? 86_399_999 : window === "7d" ? 604_799_999 : 2_591_999_999 },
    {
      click: { impression_id: { ref: `${name}InTime.impression_id` } },
      as: `in${window}`,
      note: `One millisecond before ${window} are over.`,
      expect: { status: 200, body: { ok: true, revenue_credited_inr: { atLeast: 0.01 } } },
    },
    { advance: 1 },
    {
      click: { impression_id: { ref: `${name}TooLate.impression_id` } },
      note: `Exactly ${window} after its impression.`,
      expect: {
        status: 410,
        body: { code: "click_too_late", parameter: "impression_id", status: 410 },
      },
    },
    {
      click: { impression_id: { ref: `${name}InTime.impression_id` } },
      note: "A late click gets 410 even if it repeats one that came in time.",
      expect: { status: 410, body: { code: "click_too_late" } },
    },
  ];
}

export const scenario: Scenario = defineScenario({
  name: "late-click",
  about:
    "Clicks come weeks after their impressions. Without a click window they count, on the day of the click. With a window of 24 hours, 7 days or 30 days they count up to its last millisecond, and get 410 after it.",
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
    ...aroundTheEnd("24h"),
    ...aroundTheEnd("7d"),
    ...aroundTheEnd("30d"),
  ],
  expectations: [
    {
      stats: { from: "2026-03-01" },
      is: {
        impressions: 6,
        clicks: 4,
        revenue_inr: {
          sum: [
            { ref: "late.revenue_credited_inr" },
            { ref: "shown24hInTime.revenue_credited_inr" },
            { ref: "shown24hTooLate.revenue_credited_inr" },
            { ref: "in24h.revenue_credited_inr" },
            { ref: "shown7dInTime.revenue_credited_inr" },
            { ref: "shown7dTooLate.revenue_credited_inr" },
            { ref: "in7d.revenue_credited_inr" },
            { ref: "shown30dInTime.revenue_credited_inr" },
            { ref: "shown30dTooLate.revenue_credited_inr" },
            { ref: "in30d.revenue_credited_inr" },
          ],
        },
      },
    },
    { audit: { balanced: true, total: { clicks: { attempts: 10, applied: 4, refused: 6 } } } },
  ],
});

/** What a client must survive: a repeat a millisecond before the de-duplication window ends, at its end, and after it. */

import { defineScenario, type Scenario, type Step } from "../src/scenario.ts";

type Window = NonNullable<Scenario["assumptions"]>["dedup.window"];

/**
 * Repeats one session 1 ms before its window ends, at the end, and in the new window; repeats another 1 ms after the end.
 * `w`: prefix of the step names. `lastMs`: the window minus a millisecond.
 */
function aroundTheEnd(window: Window, w: string, lastMs: number): Step[] {
  const halfMs = (lastMs + 1) / 2;
  const repeated = { ok: true, revenue_credited_inr: 0 };
  return [
    { assume: { "dedup.window": window } },
    { impression: { session_id: `${w}-edge` }, as: `${w}First`, expect: { status: 200 } },
    { impression: { session_id: `${w}-after` }, as: `${w}Other`, expect: { status: 200 } },
    { advance: halfMs },
    {
      impression: { session_id: `${w}-between` },
      as: `${w}Between`,
      note: "Traffic goes on meanwhile.",
      expect: { status: 200 },
    },
    { advance: lastMs - halfMs },
    {
      impression: { session_id: `${w}-edge` },
      note: "One millisecond before the end: the same impression.",
      expect: {
        status: 200,
        body: { ...repeated, impression_id: { ref: `${w}First.impression_id` } },
      },
    },
    { advance: "1ms" },
    {
      impression: { session_id: `${w}-edge` },
      as: `${w}Second`,
      note: "At the end: a new one. The repeat in between hasn't made the window longer.",
      expect: {
        status: 200,
        body: {
          impression_id: { not: { ref: `${w}First.impression_id` } },
          revenue_credited_inr: { atLeast: 0.000001 },
        },
      },
    },
    { advance: "1ms" },
    {
      impression: { session_id: `${w}-after` },
      as: `${w}Late`,
      note: "One millisecond after the end.",
      expect: {
        status: 200,
        body: {
          impression_id: { not: { ref: `${w}Other.impression_id` } },
          revenue_credited_inr: { atLeast: 0.000001 },
        },
      },
    },
    { advance: lastMs - 1 },
    {
      impression: { session_id: `${w}-edge` },
      note: "The second has a window of its own, to the millisecond.",
      expect: {
        status: 200,
        body: { ...repeated, impression_id: { ref: `${w}Second.impression_id` } },
      },
    },
  ];
}

const credits = ["First", "Other", "Between", "Second", "Late"];

export const scenario: Scenario = defineScenario({
  name: "dedup-edge",
  about:
    "A session is seen again one millisecond before the de-duplication window ends, exactly when it ends, and one millisecond later. Windows are 30 minutes, 24 hours and without end. A client that retries late is counted twice, and can't know when.",
  publishers: 1,
  steps: [
    ...aroundTheEnd("30m", "m", 30 * 60 * 1000 - 1),
    ...aroundTheEnd("24h", "h", 24 * 60 * 60 * 1000 - 1),
    { assume: { "dedup.window": "forever" } },
    { impression: { session_id: "always" }, as: "once", expect: { status: 200 } },
    { advance: "24h" },
    {
      impression: { session_id: "always" },
      expect: {
        status: 200,
        body: { impression_id: { ref: "once.impression_id" }, revenue_credited_inr: 0 },
      },
    },
    { advance: "3650d" },
    {
      impression: { session_id: "always" },
      note: "Ten years later it is still the same impression.",
      expect: {
        status: 200,
        body: { impression_id: { ref: "once.impression_id" }, revenue_credited_inr: 0 },
      },
    },
  ],
  expectations: [
    {
      stats: { from: "2026-01-15" },
      is: {
        impressions: 11,
        revenue_inr: {
          sum: [
            ...credits.map((which) => ({ ref: `m${which}.revenue_credited_inr` })),
            ...credits.map((which) => ({ ref: `h${which}.revenue_credited_inr` })),
            { ref: "once.revenue_credited_inr" },
          ],
        },
      },
    },
    { audit: { total: { attempts: 17, applied: 11, duplicatesSuppressed: 6 }, balanced: true } },
  ],
});

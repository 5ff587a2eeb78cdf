/** What a client must survive: for a while answers take ten times as long and every twentieth request fails. */

import { defineScenario, type Scenario, type Traffic } from "../src/scenario.ts";

/** 5 events a second, some of them clicked, and the requests of a dashboard. */
const minute = {
  for: "1m",
  arrivals: { kind: "constant", rate: "5/s" },
  mix: { impression: 1 },
  clicks: { rate: 0.1, after: "1s" },
  timeout: "2s",
} as const satisfies Traffic;

/** Holds in each of the three minutes: every event answered with 200 was credited once. */
const allAnswered = { failed: 0, refused: 0, lost: 0, cut: 0, timedOut: 0, dropped: 0 } as const;

export const scenario: Scenario = defineScenario({
  name: "brownout",
  about:
    "For a minute every answer takes ten times as long, and every twentieth request gets 503 after that wait. Nothing else fails. What was answered with 200 is recorded; what failed counts once the client sends it again.",
  faults: [
    {
      id: "usual-latency",
      match: { until: "2026-01-15T00:01:00Z" },
      verdict: { kind: "delay", delay: { from: "1ms", to: "3ms" } },
    },
  ],
  steps: [
    {
      traffic: minute,
      as: "ordinary",
      note: "An ordinary minute.",
      expect: { ...allAnswered, operations: { impression: { sent: 300, ok: 300 } } },
    },
    { advance: { to: "2026-01-15T00:02:00Z" } },
    {
      fault: {
        id: "errors",
        match: { operation: "impression", every: 20 },
        verdict: {
          kind: "respond",
          status: 503,
          headers: { "retry-after": "1" },
          delay: { from: "10ms", to: "30ms" },
        },
      },
    },
    {
      fault: {
        id: "ten-times-the-latency",
        verdict: { kind: "delay", delay: { from: "10ms", to: "30ms" } },
      },
    },
    {
      traffic: minute,
      as: "brownout",
      note: "300 impressions, 15 of which fail.",
      expect: {
        ...allAnswered,
        failed: 15,
        statuses: { "503": 15 },
        operations: { impression: { sent: 300, ok: 285 } },
      },
    },
    {
      expect: {
        stats: { from: "2026-01-15" },
        is: {
          impressions: 585,
          clicks: {
            sum: [{ ref: "ordinary.operations.click.ok" }, { ref: "brownout.operations.click.ok" }],
          },
          revenue_inr: { sum: [{ ref: "ordinary.creditedInr" }, { ref: "brownout.creditedInr" }] },
        },
      },
      note: "All figures are right.",
    },
    {
      repeat: { times: 19, steps: [{ impression: { session_id: { numbered: "retried-" } } }] },
      as: "patient",
      expect: { ok: 19, failed: 0 },
    },
    {
      impression: { session_id: "retried-20" },
      as: "failed",
      note: "The twentieth.",
      expect: { status: 503, headers: { "retry-after": "1" } },
    },
    { advance: { retryAfterOf: "failed" } },
    {
      impression: { session_id: "retried-20" },
      as: "retried",
      expect: { status: 200, body: { ok: true, revenue_credited_inr: { atLeast: 0.000001 } } },
    },
    { advance: "1m" },
    { heal: "all" },
    {
      traffic: minute,
      as: "recovered",
      note: "All is well again.",
      expect: { ...allAnswered, operations: { impression: { sent: 300, ok: 300 } } },
    },
  ],
  expectations: [
    {
      stats: { from: "2026-01-15" },
      is: {
        impressions: 905,
        revenue_inr: {
          sum: [
            { ref: "ordinary.creditedInr" },
            { ref: "brownout.creditedInr" },
            { ref: "patient.creditedInr" },
            { ref: "retried.revenue_credited_inr" },
            { ref: "recovered.creditedInr" },
          ],
        },
      },
    },
    {
      audit: {
        balanced: true,
        total: {
          lost: 0,
          dropped: 0,
          injected: 16,
          impressions: { attempts: 921, answered: 905, applied: 905, duplicatesSuppressed: 0 },
        },
      },
    },
  ],
  thresholds: ["errors < 2%", "refused = 0%", "p50 < 20ms", "p99 < 250ms", "sent >= 921"],
});

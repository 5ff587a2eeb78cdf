/** What a client must survive: for a while answers take ten times as long and every twentieth request fails. */

import { defineScenario, type Step } from "../src/scenario.ts";
import { credited, report, sumOf } from "./words.ts";

/** A minute of 300 impressions, some of them clicked. So many fail, and nothing else goes wrong. */
function minute(as: string, failed: number, note: string): Step {
  const impression = { sent: 300, ok: 300 - failed };
  return {
    traffic: {
      for: "1m",
      arrivals: { kind: "constant", rate: "5/s" },
      mix: { impression: 1 },
      clicks: { rate: 0.1, after: "1s" },
      timeout: "2s",
    },
    as,
    note,
    expect: { failed, refused: 0, lost: 0, timedOut: 0, operations: { impression } },
  };
}

const slowly = { from: "10ms", to: "30ms" };

export const scenario = defineScenario({
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
    minute("ordinary", 0, "An ordinary minute."),
    { advance: { to: "2026-01-15T00:02:00Z" } },
    {
      fault: {
        id: "errors",
        match: { operation: "impression", every: 20 },
        verdict: {
          kind: "respond",
          status: 503,
          delay: slowly,
          headers: { "retry-after": "1" },
        },
      },
    },
    { fault: { id: "ten-times-the-latency", verdict: { kind: "delay", delay: slowly } } },
    minute("brownout", 15, "300 impressions, 15 of which fail."),
    {
      expect: report(["2026-01-15"], {
        impressions: 585,
        revenue_inr: sumOf("ordinary.creditedInr", "brownout.creditedInr"),
      }),
    },
    {
      repeat: { times: 19, steps: [{ impression: { session_id: { numbered: "retried-" } } }] },
      expect: { ok: 19, failed: 0 },
    },
    {
      impression: { session_id: "retried-20" },
      as: "failed",
      expect: { status: 503, headers: { "retry-after": "1" } },
    },
    { advance: { retryAfterOf: "failed" } },
    { impression: { session_id: "retried-20" }, expect: credited },
    { advance: "1m" },
    { heal: "all" },
    minute("recovered", 0, "All is well again."),
  ],
  expectations: [report(["2026-01-15"], { impressions: 905 })],
  thresholds: ["errors < 2%", "refused = 0%", "p50 < 20ms", "p99 < 250ms", "sent >= 921"],
});

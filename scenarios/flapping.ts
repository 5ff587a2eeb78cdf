/** What a client must survive: outages that come and go, until the service recovers. */

import { defineScenario, type RepeatStep } from "../src/scenario.ts";
import { credited, leaves, ref, report } from "./words.ts";

const down = { status: 503, headers: { "retry-after": "120", "x-ratelimit-remaining": "10000" } };

function visits(every?: string): RepeatStep {
  const steps = [{ impression: { session_id: { numbered: "visit-" } } }];
  return { repeat: { times: 80, ...(every !== undefined && { every }), steps } };
}

export const scenario = defineScenario({
  name: "flapping",
  about:
    "For two minutes of every ten the service is down: first connections are reset, later requests get 503. A client that keeps what wasn't acknowledged and sends it again loses nothing and counts nothing twice.",
  // The window must still recognise events that were queued for an hour.
  assumptions: { "dedup.window": "24h" },
  faults: [
    {
      id: "outage",
      match: { until: "2026-01-15T00:20:00Z", repeat: { for: "2m", every: "10m" } },
      verdict: { kind: "reset" },
    },
    {
      id: "overload",
      match: { from: "2026-01-15T00:20:00Z", repeat: { for: "2m", every: "10m" } },
      verdict: { kind: "respond", status: 503, headers: { "retry-after": "120" } },
    },
  ],
  steps: [
    {
      ...visits("30s"),
      as: "flapping",
      note: "40 minutes, four outages of four events each.",
      expect: { sent: 80, ok: 64, lost: 8, failed: 8, differentIds: 64 },
    },
    {
      expect: report(["2026-01-15"], { impressions: 64, revenue_inr: ref("flapping.creditedInr") }),
    },
    {
      impression: { session_id: "in-outage" },
      as: "refused",
      note: "A fifth outage begins.",
      expect: down,
    },
    { advance: { retryAfterOf: "refused", less: 1 } },
    { impression: { session_id: "in-outage" }, note: "Its last millisecond.", expect: down },
    { advance: 1 },
    {
      impression: { session_id: "in-outage" },
      note: "A client that waits as long as it was told gets through at once.",
      expect: { ...leaves(9999), ...credited },
    },
    { advance: { to: "2026-01-15T00:50:00Z" } },
    { impression: { session_id: "healed" }, expect: { status: 503 } },
    { heal: "all", note: "The sixth outage is cut short." },
    { impression: { session_id: "healed" }, expect: credited },
    {
      ...visits(),
      note: "The client sends all that it has kept, acknowledged or not.",
      expect: { ok: 80, differentIds: 80 },
    },
  ],
  expectations: [report(["2026-01-15"], { impressions: 82, clicks: 0 })],
});

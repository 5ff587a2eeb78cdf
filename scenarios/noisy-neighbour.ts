/** What a client must survive: another publisher floods the service, and the client must not notice. */

import { defineScenario } from "../src/scenario.ts";
import { askStats, clickOn, leaves, ok, overLimit, report } from "./words.ts";

export const scenario = defineScenario({
  name: "noisy-neighbour",
  about:
    "One publisher floods the service: in a minute it sends 12,000 impressions and 70 GET requests, of which 2,000 and 10 are refused. Another publisher sends one request a second, and loses no request, no quota and no revenue.",
  publishers: 2,
  steps: [
    {
      setSurface: { publisher: 1, cpmRange: [20, 20] },
      note: "Each earns two paise, so the quiet one's revenue is easy to check.",
    },
    {
      repeat: {
        times: 12,
        steps: [
          {
            traffic: {
              for: "1s",
              publishers: [0],
              arrivals: { kind: "burst", count: 1000, within: "900ms" },
            },
          },
          {
            impression: { session_id: { numbered: "visit-" } },
            publisher: 1,
            as: "quiet",
            expect: ok({ revenue_credited_inr: 0.02 }),
          },
        ],
      },
      expect: { sent: 12012, ok: 10012, statuses: { "200": 10012, "429": 2000 } },
    },
    { expect: { answer: "quiet", ...leaves(9988) }, note: "The quiet one has spent 12." },
    askStats(70, 60),
    {
      stats: { from: "2026-01-15" },
      publisher: 1,
      expect: { ...leaves(59), body: { impressions: 12, clicks: 0, revenue_inr: 0.24 } },
    },
    clickOn("quiet", { publisher: 1, expect: leaves(9987) }),
    { impression: {}, note: "The flood is still refused.", expect: overLimit("48") },
  ],
  expectations: [
    report(["2026-01-15"], { impressions: 12, clicks: 1 }, 1),
    report(["2026-01-15"], { impressions: 10000, clicks: 0 }),
  ],
});

/** What a client must survive: it shuts down with queued events, crashes while sending them, and restarts later. */

import { defineScenario, type Scenario } from "../src/scenario.ts";

/** Of 200 queued events, 150 are acknowledged, 30 are recorded without an answer, and 20 never arrive. */
const unanswered = Array.from({ length: 30 }, (_, index) => 151 + index);
const unsent = Array.from({ length: 20 }, (_, index) => 181 + index);

export const scenario: Scenario = defineScenario({
  name: "shutdown-flush",
  about:
    "At shutdown a client sends 200 queued events at once, and is killed before all are acknowledged. After the restart it sends the unacknowledged ones again under their session ids. Nothing is lost. Nothing is counted twice, unless it comes back after the de-duplication window.",
  faults: [
    {
      id: "killed-after",
      match: { operation: "impression", nth: unanswered },
      verdict: { kind: "lose-response", as: "reset" },
    },
    {
      id: "killed-before",
      match: { operation: "impression", nth: unsent },
      verdict: { kind: "drop", as: "reset" },
    },
    {
      id: "click-killed",
      match: { operation: "click", nth: 1 },
      verdict: { kind: "lose-response", as: "reset" },
    },
  ],
  steps: [
    {
      parallel: {
        times: 150,
        steps: [{ impression: { session_id: { numbered: "flushed-" } } }],
      },
      as: "flushed",
      note: "Acknowledged, and taken off the queue.",
      expect: { sent: 150, ok: 150, differentIds: 150, lost: 0 },
    },
    {
      parallel: {
        times: 30,
        steps: [{ impression: { session_id: { numbered: "unanswered-" } } }],
      },
      note: "Recorded while the process dies.",
      expect: { sent: 30, ok: 0, lost: 30 },
    },
    {
      parallel: {
        times: 20,
        steps: [{ impression: { session_id: { numbered: "unsent-" } } }],
      },
      note: "These were never sent.",
      expect: { sent: 20, ok: 0, lost: 20 },
    },
    {
      expect: { stats: { from: "2026-01-15" }, is: { impressions: 180, clicks: 0 } },
    },
    {
      advance: "1799s",
      note: "It starts again, within the half hour that events are remembered.",
    },
    {
      repeat: { times: 30, steps: [{ impression: { session_id: { numbered: "unanswered-" } } }] },
      as: "recognised",
      note: "These were recorded: the client gets their ids, and nothing is counted twice.",
      expect: { sent: 30, ok: 30, differentIds: 30, creditedInr: 0 },
    },
    {
      repeat: { times: 20, steps: [{ impression: { session_id: { numbered: "unsent-" } } }] },
      as: "caughtUp",
      note: "These weren't recorded before: now they are.",
      expect: {
        sent: 20,
        ok: 20,
        differentIds: 20,
        creditedInr: { atLeast: 0.00002 },
      },
    },
    {
      expect: { stats: { from: "2026-01-15" }, is: { impressions: 200, clicks: 0 } },
    },
    {
      impression: { session_id: "unsent-20" },
      as: "last",
      note: "The session id belongs to that event: the same impression_id comes again.",
      expect: { status: 200, body: { revenue_credited_inr: 0 } },
    },
    {
      click: { impression_id: { ref: "last.impression_id" } },
      note: "The queued click, recorded in the process's last moment …",
      expect: { outcome: "lost" },
    },
    {
      click: { impression_id: { ref: "last.impression_id" } },
      as: "click",
      note: "… and sent again at the next start.",
      expect: { status: 200, body: { ok: true, revenue_credited_inr: 0 } },
    },
    { advance: "1s" },
    {
      impression: { session_id: "unanswered-1" },
      note: "Half an hour after it was recorded the service has forgotten it: sent again, it counts twice.",
      as: "tooLate",
      expect: { status: 200, body: { revenue_credited_inr: { atLeast: 0.000001 } } },
    },
    { assume: { "dedup.window": "24h" }, note: "This service remembers for a day." },
    { impression: { session_id: "overnight" }, as: "overnight", expect: { status: 200 } },
    { advance: 86_399_999 },
    {
      impression: { session_id: "overnight" },
      expect: {
        status: 200,
        body: { impression_id: { ref: "overnight.impression_id" }, revenue_credited_inr: 0 },
      },
    },
  ],
  expectations: [
    { stats: { from: "2026-01-15", to: "2026-01-16" }, is: { impressions: 202, clicks: 1 } },
    {
      audit: {
        balanced: true,
        total: {
          impressions: {
            attempts: 254,
            answered: 204,
            lost: 30,
            dropped: 20,
            applied: 202,
            unseen: 30,
            duplicatesSuppressed: 32,
            creditedSeenInr: {
              sum: [
                { ref: "flushed.creditedInr" },
                { ref: "caughtUp.creditedInr" },
                { ref: "tooLate.revenue_credited_inr" },
                { ref: "overnight.revenue_credited_inr" },
              ],
            },
          },
          clicks: { attempts: 2, lost: 1, applied: 1, unseen: 1, duplicatesSuppressed: 1 },
        },
      },
    },
  ],
});

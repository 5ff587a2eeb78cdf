/** What a client must survive: it shuts down with queued events, crashes while sending them, and restarts later. */

import { defineScenario, type ParallelStep } from "../src/scenario.ts";
import { assume, credited, report, rule, sameAs } from "./words.ts";

/** The numbers of so many requests, after the first ones. */
function numbers(after: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => after + index + 1);
}

/** Sends so many queued events at once. */
function flush(times: number, queue: string, ok: number, note: string): ParallelStep {
  const steps = [{ impression: { session_id: { numbered: `${queue}-` } } }];
  return { parallel: { times, steps }, note, expect: { sent: times, ok, lost: times - ok } };
}

export const scenario = defineScenario({
  name: "shutdown-flush",
  about:
    "At shutdown a client sends 200 queued events at once, and is killed before all are acknowledged. After the restart it sends the unacknowledged ones again under their session ids. Nothing is lost. Nothing is counted twice, unless it comes back after the de-duplication window.",
  faults: [
    rule("killed-after", "impression", numbers(150, 30), { kind: "lose-response", as: "reset" }),
    rule("killed-before", "impression", numbers(180, 20), { kind: "drop", as: "reset" }),
  ],
  steps: [
    flush(150, "flushed", 150, "Acknowledged, and taken off the queue."),
    flush(30, "unanswered", 0, "Recorded while the process dies."),
    flush(20, "unsent", 0, "These were never sent."),
    { expect: report(["2026-01-15"], { impressions: 180, clicks: 0 }) },
    { advance: "1799s", note: "It starts again, within the half hour that events are remembered." },
    {
      ...flush(30, "unanswered", 30, "These were recorded: nothing is counted twice."),
      expect: { ok: 30, differentIds: 30, creditedInr: 0 },
    },
    flush(20, "unsent", 20, "These weren't recorded before: now they are."),
    { expect: report(["2026-01-15"], { impressions: 200, clicks: 0 }) },
    { advance: "1s" },
    {
      impression: { session_id: "unanswered-1" },
      note: "Half an hour after it was recorded the service has forgotten it: it counts twice.",
      expect: credited,
    },
    assume("dedup.window", "24h", "This service remembers for a day."),
    { impression: { session_id: "overnight" }, as: "overnight", expect: credited },
    { advance: 86_399_999 },
    { impression: { session_id: "overnight" }, expect: sameAs("overnight") },
  ],
  expectations: [
    report(["2026-01-15", "2026-01-16"], { impressions: 202 }),
    { audit: { total: { impressions: { lost: 30, dropped: 20, unseen: 30 } } } },
  ],
});

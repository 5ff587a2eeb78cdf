/** What a client must survive: the answer comes after the client gave up waiting for it. */

import { defineScenario, type Scenario } from "../src/scenario.ts";

export const scenario: Scenario = defineScenario({
  name: "slow-ack",
  about:
    "Answers come later than the client waits. Two requests time out and look the same, but one was recorded and the other never arrived. A retry under the same session id is right for both.",
  faults: [
    {
      id: "slow",
      match: { operation: "impression", nth: 1 },
      verdict: { kind: "delay", delay: "300ms" },
    },
    {
      id: "overloaded",
      match: { operation: "impression", nth: 3 },
      verdict: { kind: "respond", status: 503, delay: "300ms" },
    },
    {
      id: "silent",
      match: { operation: "impression", nth: 5 },
      verdict: { kind: "lose-response", as: "silence" },
    },
    {
      id: "hanging",
      match: { operation: "click", nth: 1 },
      verdict: { kind: "timeout" },
    },
    {
      id: "slow-click",
      match: { operation: "click", nth: 2 },
      verdict: { kind: "delay", delay: "300ms" },
    },
    {
      id: "in-time",
      match: { operation: "click", nth: 3 },
      verdict: { kind: "delay", delay: "100ms" },
    },
  ],
  steps: [
    {
      impression: { session_id: "recorded" },
      timeout: "100ms",
      note: "The service is done at once, its answer takes 300 ms.",
      expect: { outcome: "timed-out" },
    },
    {
      impression: { session_id: "recorded" },
      as: "first",
      expect: {
        status: 200,
        headers: { "x-ratelimit-remaining": "9998" },
        body: { ok: true, revenue_credited_inr: 0 },
      },
    },
    {
      impression: { session_id: "never-recorded" },
      timeout: "100ms",
      note: "This looks the same, but the late answer is a 503.",
      expect: { outcome: "timed-out" },
    },
    {
      impression: { session_id: "never-recorded" },
      as: "second",
      expect: {
        status: 200,
        headers: { "x-ratelimit-remaining": "9997" },
        body: { ok: true, revenue_credited_inr: { atLeast: 0.000001 } },
      },
    },
    {
      impression: { session_id: "silent" },
      timeout: "100ms",
      note: "Here no answer would ever come.",
      expect: { outcome: "timed-out" },
    },
    {
      impression: { session_id: "silent" },
      as: "third",
      expect: { status: 200, body: { ok: true, revenue_credited_inr: 0 } },
    },
    {
      click: { impression_id: { ref: "second.impression_id" } },
      timeout: "100ms",
      expect: { outcome: "timed-out" },
    },
    {
      click: { impression_id: { ref: "second.impression_id" } },
      timeout: "100ms",
      note: "The first click was lost on its way. This one is recorded, but its answer comes too late.",
      expect: { outcome: "timed-out" },
    },
    {
      click: { impression_id: { ref: "second.impression_id" } },
      as: "click",
      note: "Slow, but within the client's patience.",
      timeout: "2s",
      expect: {
        status: 200,
        headers: { "x-ratelimit-remaining": "9993" },
        body: { ok: true, click_id: { type: "string" }, revenue_credited_inr: 0 },
      },
    },
  ],
  expectations: [
    { stats: { from: "2026-01-15" }, is: { impressions: 3, clicks: 1 } },
    {
      audit: {
        balanced: true,
        total: {
          attempts: 9,
          answered: 4,
          injected: 0,
          impressions: {
            attempts: 6,
            answered: 3,
            lost: 2,
            dropped: 1,
            applied: 3,
            unseen: 2,
            duplicatesSuppressed: 2,
            creditedSeenInr: { ref: "second.revenue_credited_inr" },
          },
          clicks: { attempts: 3, answered: 1, lost: 1, dropped: 1, applied: 1, unseen: 1 },
        },
      },
    },
  ],
});

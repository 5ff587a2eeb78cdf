/** What a client must survive: the body of an answer is cut off after any number of bytes. */

import { defineScenario, type Scenario, type Step } from "../src/scenario.ts";

/** A sample answer. With a constant price and ids of 17 characters all answers have the same length. */
const WHOLE = '{"ok":true,"impression_id":"imp_0000000000000","revenue_credited_inr":0.01234}';
const bytes: readonly number[] = Array.from({ length: WHOLE.length }, (_, byte) => byte);

/** Cuts the event's answer after `byte` bytes. The event is recorded all the same, and the retry gets its id. */
const steps: readonly Step[] = bytes.flatMap((byte): Step[] => [
  {
    publisher: "station",
    impression: { session_id: `cut-${byte}` },
    expect: {
      outcome: "cut",
      status: 200,
      // From Content-Length a client knows that bytes are missing.
      headers: { "content-type": "application/json", "content-length": String(WHOLE.length) },
      text: { length: byte },
    },
  },
  {
    publisher: "station",
    impression: { session_id: `cut-${byte}` },
    expect: {
      status: 200,
      body: { ok: true, impression_id: { length: 17 }, revenue_credited_inr: 0 },
    },
  },
]);

export const scenario: Scenario = defineScenario({
  name: "truncated-json",
  about:
    "The answer to an impression is cut after each of its bytes in turn. No part of it passes for a whole answer. Each event was recorded, and is not counted again when the client sends it again under its session id.",
  faults: [
    ...bytes.map((byte) => ({
      id: `cut-${byte}`,
      match: { operation: "impression" as const, nth: 2 * byte + 1 },
      verdict: { kind: "truncate" as const, atByte: byte },
    })),
    {
      id: "cut-nothing",
      match: { operation: "impression", nth: 2 * WHOLE.length + 1 },
      verdict: { kind: "truncate", atByte: WHOLE.length },
    },
    {
      id: "cut-half",
      match: { operation: "stats", nth: 1 },
      verdict: { kind: "truncate", share: 0.5 },
    },
  ],
  steps: [
    {
      signUp: { surfaces: [{ name: "Board", cpmRange: [12.34, 12.34] }] },
      as: "station",
    },
    ...steps,
    {
      publisher: "station",
      impression: { session_id: "whole" },
      as: "whole",
      note: "If it is cut after its last byte, it is whole.",
      expect: {
        status: 200,
        text: { length: WHOLE.length },
        body: { ok: true, revenue_credited_inr: 0.01234 },
      },
    },
    {
      publisher: "station",
      stats: {},
      note: "Half a report is useless …",
      expect: { outcome: "cut", status: 200 },
    },
    {
      publisher: "station",
      stats: {},
      note: "… and costs as much of the quota as a whole one.",
      expect: {
        status: 200,
        headers: { "x-ratelimit-remaining": "58" },
        body: { impressions: WHOLE.length + 1, clicks: 0 },
      },
    },
  ],
  expectations: [
    {
      publisher: "station",
      stats: { from: "2026-01-15" },
      is: {
        impressions: WHOLE.length + 1,
        revenue_inr: ((WHOLE.length + 1) * 12_340) / 1_000_000,
      },
    },
    {
      audit: {
        balanced: true,
        total: {
          impressions: {
            attempts: 2 * WHOLE.length + 1,
            answered: WHOLE.length + 1,
            lost: WHOLE.length,
            applied: WHOLE.length + 1,
            unseen: WHOLE.length,
            duplicatesSuppressed: WHOLE.length,
            creditedSeenInr: { ref: "whole.revenue_credited_inr" },
          },
        },
      },
    },
  ],
});

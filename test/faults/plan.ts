/** Rules of most kinds, for comparisons of transports. */

import type { FaultRule } from "../../src/faults/rule.ts";

/** Every transport carries these out, but a Playwright route closes the connection in place of a cut. */
export const plan: readonly FaultRule[] = [
  { id: "slow", match: { share: 0.08 }, verdict: { kind: "delay", delay: { from: 1, to: 4 } } },
  {
    id: "busy",
    match: { operation: "stats", every: 4 },
    verdict: { kind: "respond", status: 503, headers: { "Retry-After": "3" }, body: { busy: "☃" } },
  },
  {
    id: "lied",
    match: { operation: ["impression", "click"], nth: [4, 9] },
    verdict: { kind: "respond", status: 500, body: "oops", applied: true },
  },
  { id: "dropped", match: { share: 0.05 }, verdict: { kind: "drop" } },
  { id: "lost", match: { operation: "impression", every: 5 }, verdict: { kind: "lose-response" } },
  { id: "twice", match: { operation: "impression", every: 3 }, verdict: { kind: "duplicate" } },
  {
    id: "second",
    match: { operation: "click", nth: 2 },
    verdict: { kind: "duplicate", answer: "second" },
  },
  {
    id: "broken",
    match: { operation: "surfaces", every: 3 },
    verdict: { kind: "truncate", share: 0.5 },
  },
  { id: "bare", match: { operation: "payouts", nth: 3 }, verdict: { kind: "truncate", atByte: 0 } },
  { id: "noise", match: { share: 0.06, per: "world" }, verdict: { kind: "garbage", delay: 1 } },
  { id: "wrong", match: { every: 7 }, verdict: { kind: "wrong-body", wrong: "null-id" } },
  {
    id: "unconfirmed",
    match: { operation: "impression", nth: [7, 8, 11, 13, 16] },
    verdict: { kind: "wrong-body", wrong: "ok-false", applied: false },
  },
  { id: "slowly", match: { every: 10 }, verdict: { kind: "drip", bytesPerSecond: 100_000 } },
  { id: "stuck", match: { operation: "payouts", nth: 6, times: 1 }, verdict: { kind: "timeout" } },
  { id: "closed", match: { every: 9 }, verdict: { kind: "empty" } },
  { id: "passed", match: { every: 8 }, verdict: { kind: "reorder", atMost: 2 } },
];

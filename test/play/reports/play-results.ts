/** Results as a player would give them, made by hand: reports are functions of these alone. */

import { createTally } from "../../../src/play/measure/tally.ts";
import type {
  Check,
  PlayResult,
  ShownExchange,
  StepResult,
} from "../../../src/play/player/result.ts";

const START = "2026-01-15T00:00:00.000Z";

const shownExchange: ShownExchange = {
  operation: "impression",
  at: START,
  request: {
    method: "POST",
    path: "/api/v1/impressions",
    query: "",
    headers: { authorization: "(redacted)" },
    body: '{"publisher_id":"pub_1","ad_id":"ad-1"}',
  },
  outcome: "answered",
  status: 503,
  headers: { "content-type": "application/json", "retry-after": "30" },
  body: '{"error":"unavailable"}',
  latencyMs: 40,
};

const passed: Check = { result: "passed", about: "status", expected: "200", found: "200" };
export const failed: Check = { result: "failed", about: "status", expected: "200", found: "503" };

export function stepResult(more: Partial<StepResult> = {}): StepResult {
  const checks = more.result === "done" || more.result === "skipped" ? [] : [passed];
  return {
    ...{ path: "steps.0", kind: "impression", title: "impression as first", at: START, times: 1 },
    ...{ result: "passed", checks },
    ...more,
  };
}

const tally: PlayResult["tally"] = {
  ...createTally().summary(),
  ...{ sent: 2000, ok: 1566, refused: 217, failed: 108, lost: 109, creditedInr: 391.5 },
};
const latency = { p50: 11, p90: 19, p95: 40, p99: 40, p999: 40, max: 40, mean: 12.5 };
const silent = { sent: 0, ok: 0, refused: 0, failed: 0, unanswered: 0, p50: 0, p99: 0 };
const busy = { sent: 1000, ok: 783, refused: 109, failed: 54, unanswered: 54, p50: 4, p99: 8 };
const buckets = [busy, silent, silent, busy].map((one, at) => ({ atMs: at * 100, ...one }));

/** One that passed: a request, some time, traffic, and an expectation at the end. */
export function playResult(more: Partial<PlayResult> = {}): PlayResult {
  return {
    version: 1,
    scenario: { name: "late-click", about: "A click that comes after its window closed." },
    target: { kind: "in-process", url: undefined, time: "virtual", speed: undefined },
    result: "passed",
    why: "everything came out as expected",
    digest: "5f1c0ffee",
    startedAt: START,
    endedAt: "2026-01-15T02:05:00.000Z",
    steps: [
      stepResult({
        exchange: { ...shownExchange, status: 200, body: '{"ok":true}', latencyMs: 0 },
      }),
      stepResult({ path: "steps.1", kind: "advance", title: "advance 2h", result: "done" }),
      stepResult({ path: "steps.2", kind: "traffic", title: "traffic as load", tally }),
      stepResult({ path: "expectations.0", kind: "expect", title: "expect stats", times: 1 }),
    ],
    invariants: [
      { id: "M1", says: "money on record is what was credited", result: "passed" },
      { id: "S1", says: "stats add up", result: "passed" },
      { id: "P1", says: "payouts add up", result: "undecided", why: "there were no payouts" },
    ],
    thresholds: [
      { threshold: "p99 < 50ms", result: "passed", found: "40 ms" },
      { threshold: "invariants = 0", result: "passed", found: "0 failed" },
    ],
    ...{ skipped: [], tally, latency, timeline: { bucketMs: 100, buckets } },
    reproduce: "adsim play late-click --seed adsim",
    ...more,
  };
}

/** The same, with one step that failed, one that was skipped, and one that is undecided. */
export function brokenResult(more: Partial<PlayResult> = {}): PlayResult {
  const entry = {
    ...{ sequence: 7, at: START, reason: "unavailable", fault: { rule: "flap" } },
    ...{ request: shownExchange.request, response: { status: 503 } },
    // The other members aren't shown.
  } as unknown as NonNullable<StepResult["journal"]>[number];
  return playResult({
    result: "failed",
    why: "steps.3 expected status 200 and found 503",
    steps: [
      ...playResult().steps.slice(0, 3),
      stepResult({
        ...{ path: "steps.3", title: "impression as second", result: "failed", times: 3 },
        at: "2026-01-15T02:00:00.000Z",
        checks: [failed, { ...passed, about: "headers.retry-after", expected: "30", found: "30" }],
        exchange: shownExchange,
        journal: [entry],
      }),
      stepResult({
        ...{ path: "steps.4", kind: "fault", title: "fault flap", result: "skipped" },
        why: "the service at the target isn't ours to break",
      }),
      stepResult({
        ...{ path: "steps.5", kind: "stats", title: "stats", result: "undecided" },
        why: "the list is empty",
      }),
    ],
    skipped: [{ path: "steps.4", why: "the service at the target isn't ours to break" }],
    invariants: [
      { id: "M1", says: "money adds up", result: "failed", why: "2.5 INR credited, 2 on record" },
    ],
    thresholds: [
      { threshold: "p99 < 20ms", result: "failed", found: "40 ms" },
      { threshold: "sent >= 1", result: "undecided", found: "no requests" },
    ],
    ...more,
  });
}

/** Text that would do harm in a page, a script, a document of XML or a terminal. */
export const HOSTILE =
  "</script><script>window.owned=1</script><img src=x onerror='window.owned=1'><!-- ]]> \" & \u001b[31m \u202e \ud800";

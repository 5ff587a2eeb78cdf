/** What a client must survive: twice the limit passes around the edge of a fixed window, but not with other algorithms. */

import { defineScenario, type Scenario, type Step } from "../src/scenario.ts";

type Algorithm = NonNullable<Scenario["assumptions"]>["limit.algorithm"];

interface Admitted {
  readonly before: number;
  readonly lastMs: number;
  readonly atEdge: number;
  readonly halfWay: number;
  readonly minuteAfterLastMs: number;
  readonly nextEdge: number;
}

/**
 * Reports around the full minute `edge`: 10 half a minute before, then 60 each at these times: 1 ms before, at `edge`,
 * half a minute after, 1 ms before the next full minute, and at the next full minute.
 */
function around(algorithm: Algorithm, edge: string, admitted: Admitted): Step[] {
  const ask = (times: number, ok: number): Step => ({
    repeat: { times, steps: [{ stats: {} }] },
    expect: { sent: times, ok, refused: times - ok },
  });
  return [
    { assume: { "limit.algorithm": algorithm } },
    { advance: { to: `2026-01-15T00:${edge}:00.000Z` } },
    { advance: "30s" },
    ask(10, admitted.before),
    { advance: "29999ms" },
    ask(60, admitted.lastMs),
    { advance: "1ms" },
    ask(60, admitted.atEdge),
    { advance: "30s" },
    ask(60, admitted.halfWay),
    { advance: "29999ms" },
    ask(60, admitted.minuteAfterLastMs),
    { advance: "1ms" },
    ask(60, admitted.nextEdge),
  ];
}

export const scenario: Scenario = defineScenario({
  name: "window-edge",
  about:
    "20,000 impressions within two milliseconds are all recorded: half come in the last millisecond of a minute, half in the first of the next. Then the same is tried with GET requests under every limit algorithm: the scenario checks how many are admitted, and when.",
  start: "2026-01-15T00:00:59.999Z",
  steps: [
    {
      traffic: {
        for: "1ms",
        arrivals: { kind: "burst", count: 10000 },
      },
      as: "lastMillisecond",
      expect: { sent: 10000, ok: 10000 },
    },
    {
      traffic: {
        for: "1ms",
        arrivals: { kind: "burst", count: 10000 },
      },
      as: "firstMillisecond",
      expect: { sent: 10000, ok: 10000 },
    },
    {
      impression: {},
      note: "Nothing is left of the second 10,000.",
      expect: { status: 429, headers: { "retry-after": "60", "x-ratelimit-remaining": "0" } },
    },
    ...around("fixed-window", "10", {
      before: 10,
      lastMs: 50,
      atEdge: 60,
      halfWay: 0,
      minuteAfterLastMs: 0,
      nextEdge: 60,
    }),
    ...around("sliding-log", "30", {
      before: 10,
      lastMs: 50,
      atEdge: 0,
      halfWay: 10,
      minuteAfterLastMs: 50,
      nextEdge: 0,
    }),
    ...around("token-bucket", "50", {
      before: 10,
      lastMs: 60,
      atEdge: 0,
      halfWay: 30,
      minuteAfterLastMs: 30,
      nextEdge: 0,
    }),
  ],
  expectations: [
    {
      stats: { from: "2026-01-15", to: "2026-01-15" },
      is: {
        impressions: 20000,
        revenue_inr: {
          sum: [{ ref: "lastMillisecond.creditedInr" }, { ref: "firstMillisecond.creditedInr" }],
        },
      },
    },
    { audit: { total: { attempts: 20001, applied: 20000, refused: 1 }, balanced: true } },
  ],
});

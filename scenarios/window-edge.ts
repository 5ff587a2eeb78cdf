/** What a client must survive: twice the limit passes around the edge of a fixed window, but not with other algorithms. */

import { defineScenario, type Step } from "../src/scenario.ts";
import { askStats, assume, overLimit } from "./words.ts";

/**
 * Reports around the full minute `edge`: 10 half a minute before, then 60 each at these times: 1 ms before, at `edge`,
 * half a minute after, 1 ms before the next full minute, and at the next full minute. `admitted`: how many of each.
 */
function around(
  algorithm: "fixed-window" | "sliding-log" | "token-bucket",
  edge: string,
  admitted: readonly number[],
): Step[] {
  const [lastMs, atEdge, halfWay, minuteAfterLastMs, nextEdge] = admitted;
  return [
    assume("limit.algorithm", algorithm),
    { advance: { to: `2026-01-15T00:${edge}:30.000Z` } },
    askStats(10),
    { advance: "29999ms" },
    askStats(60, lastMs),
    { advance: "1ms" },
    askStats(60, atEdge),
    { advance: "30s" },
    askStats(60, halfWay),
    { advance: "29999ms" },
    askStats(60, minuteAfterLastMs),
    { advance: "1ms" },
    askStats(60, nextEdge),
  ];
}

export const scenario = defineScenario({
  name: "window-edge",
  about:
    "120 GET requests within two milliseconds are all answered: half come in the last millisecond of a minute, half in the first of the next. Then nothing is left. Then the same is tried, after some requests before, under every limit algorithm: the scenario checks how many are admitted, and when.",
  start: "2026-01-15T00:00:59.999Z",
  steps: [
    askStats(60),
    { advance: "1ms" },
    askStats(60),
    { stats: {}, note: "Nothing is left.", expect: overLimit("60") },
    ...around("fixed-window", "10", [50, 60, 0, 0, 60]),
    ...around("sliding-log", "30", [50, 0, 10, 50, 0]),
    ...around("token-bucket", "50", [60, 0, 30, 30, 0]),
  ],
});

/** What a client must survive: "too many" in other forms: Retry-After is a date, or missing, and the status isn't 429. */

import { defineScenario, type Step } from "../src/scenario.ts";
import { askStats, assume, leaves, overLimit, ref } from "./words.ts";

const absent = { absent: true } as const;

/** Waits, asks, and is refused without a hint. */
function inVainAfter(wait: string): Step[] {
  const headers = {
    "retry-after": absent,
    "x-ratelimit-reset": absent,
    ratelimit: absent,
    "x-ratelimit-remaining": "0",
  };
  return [{ advance: wait }, { stats: {}, expect: { status: 429, headers } }];
}

/** Over the limit with another status and body. */
function refusedWith(status: 503 | 403 | 429, type: "html" | "text" | "empty"): Step[] {
  const shapes = {
    html: ["text/html; charset=utf-8", { startsWith: "<!doctype html>" }],
    text: ["text/plain; charset=utf-8", { contains: "60" }],
    empty: [absent, ""],
  } as const;
  const [contentType, text] = shapes[type];
  const { headers } = overLimit("60");
  return [
    { assume: { "limit.exceeded": `${status}`, "errors.body": type } },
    {
      stats: {},
      as: type,
      expect: { status, headers: { ...headers, "content-type": contentType }, text },
    },
  ];
}

export const scenario = defineScenario({
  name: "retry-after-date",
  about:
    "For a client over the limit, Retry-After is a date, which a client that reads a number takes for no wait or an endless one. Then there is no hint, so that it has to back off by itself. Then the refusal is a 503 with a web page, a 403 with text or a 429 without a body: neither an outage nor a wrong key.",
  start: "2026-01-31T23:59:00.250Z",
  assumptions: { "limit.retry-after": "http-date" },
  steps: [
    askStats(60),
    {
      stats: {},
      as: "refused",
      note: "The date is in the next month.",
      expect: { ...overLimit("Sun, 01 Feb 2026 00:00:00 GMT"), body: { code: "rate_limited" } },
    },
    { advance: { retryAfterOf: "refused", less: "1s" } },
    { stats: {}, note: "It stays.", expect: overLimit("Sun, 01 Feb 2026 00:00:00 GMT") },
    { advance: { retryAfterOf: "refused", less: "1ms" } },
    { stats: {}, expect: { status: 429 } },
    { advance: { retryAfterOf: "refused" } },
    { stats: {}, expect: { status: 200, headers: { "retry-after": absent } } },
    { advance: { to: "2026-02-01T01:00:00.250Z" } },
    assume("limit.algorithm", "sliding-log"),
    askStats(60),
    {
      stats: {},
      as: "betweenSeconds",
      note: "The wait is over at 01:01:00.250: the date must not be earlier.",
      expect: overLimit("Sun, 01 Feb 2026 01:01:01 GMT"),
    },
    { advance: { to: "2026-02-01T01:01:00Z" } },
    { stats: {}, note: "A client that rounds down comes too early.", expect: { status: 429 } },
    { advance: { retryAfterOf: "betweenSeconds" } },
    { stats: {}, expect: leaves(59) },
    { assume: { "limit.algorithm": "fixed-window", "limit.retry-after": "absent" } },
    { advance: { to: "2026-02-01T02:00:00Z" } },
    askStats(60),
    ...["0s", "1s", "2s", "4s", "8s", "16s"].flatMap(inVainAfter),
    { advance: "32s" },
    {
      stats: {},
      note: "63 seconds after the first try, the sixth gets through.",
      expect: leaves(59),
    },
    assume("limit.retry-after", "seconds"),
    { advance: { to: "2026-02-01T03:00:00Z" } },
    askStats(60),
    ...refusedWith(503, "html"),
    { impression: {}, note: "The service is not down.", expect: { status: 200 } },
    ...refusedWith(403, "text"),
    {
      publisher: 2,
      stats: { publisher_id: ref("publishers.1.id") },
      note: "Within its limit the same status means something else, and there is no Retry-After.",
      expect: { ...leaves(59), status: 403 },
    },
    { expect: { headers: { "retry-after": absent } } },
    ...refusedWith(429, "empty"),
    { advance: { retryAfterOf: "html", less: "1s" } },
    { stats: {}, expect: overLimit("1") },
    { advance: { retryAfterOf: "html" } },
    { stats: {}, note: "The key still works.", expect: leaves(59) },
  ],
});

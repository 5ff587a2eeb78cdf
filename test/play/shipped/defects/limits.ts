/** Limits that admit one too many or too few, count for the wrong publisher, or announce a wrong end. */

import type { Defect } from "../defect.ts";
import { noticedBy } from "../noticed-by.ts";

export const limitDefects: readonly Defect[] = [
  ...noticedBy(["window-edge", "limit-recovers", "thundering-herd"], {
    says: "a fixed window admits one more than the limit",
    file: "world/limits/fixed-window.ts",
    find: "if (bucket.used >= rate.requests) {",
    replace: "if (bucket.used > rate.requests) {",
  }),
  ...noticedBy(["burst-to-limit", "window-edge", "noisy-neighbour"], {
    says: "the recording limit is one too high",
    file: "spec/operations.ts",
    find: "recording: { requests: 10_000,",
    replace: "recording: { requests: 10_001,",
  }),
  ...noticedBy(
    [
      "reporting-limit",
      "limit-recovers",
      "retry-after-date",
      "limit-no-hint",
      "limit-as-html",
      "thundering-herd",
    ],
    {
      says: "the reporting limit is one too high",
      file: "spec/operations.ts",
      find: "reporting: { requests: 60,",
      replace: "reporting: { requests: 61,",
    },
  ),
  ...noticedBy(["window-edge", "limit-recovers"], {
    says: "a sliding log keeps a request that is a whole window old",
    file: "world/limits/sliding-log.ts",
    find: "(times[bucket.head] ?? 0) <= untilMs",
    replace: "(times[bucket.head] ?? 0) < untilMs",
  }),
  {
    scenario: "window-edge",
    says: "the last token is never given out",
    file: "world/limits/token-bucket.ts",
    find: "if (missingMs > rate.windowMs) {",
    replace: "if (missingMs >= rate.windowMs) {",
  },
  ...noticedBy(["limit-recovers", "thundering-herd"], {
    says: "a refused request takes a token all the same",
    file: "world/limits/token-bucket.ts",
    find: "if (missingMs > rate.windowMs) {",
    replace: "if (missingMs > rate.windowMs) {\n      bucket.fullAtMs += tokenMs;",
  }),
  {
    scenario: "burst-to-limit",
    says: "clicks aren't counted against the recording limit",
    file: "exchange/quota.ts",
    find: "shared: { impression: recording, click: recording },",
    replace: "shared: { impression: recording, click: { ...recording, bucketOf: undefined } },",
  },
  {
    scenario: "reporting-limit",
    says: "a report counts for the publisher that it is about",
    file: "exchange/authorize.ts",
    find: 'if (operation.limit === "reporting") return caller;',
    replace: "",
  },
  {
    scenario: "reporting-limit",
    says: "a new key has the quota of the old one",
    file: "world/accounts/accounts.ts",
    find: "account.reportingBucket = freshBuckets().reportingBucket;",
    replace: "",
  },
  {
    scenario: "reporting-limit",
    says: "lists of surfaces and payouts aren't reports",
    file: "spec/operations.ts",
    find: '"all-get": new Set(operationIds),',
    replace: '"all-get": new Set<OperationId>(["stats", "impression", "click"]),',
  },
  ...noticedBy(["noisy-neighbour", "burst-to-limit"], {
    says: "all publishers share one recording limit",
    file: "world/accounts/buckets.ts",
    find: "return {\n    algorithm,\n    fresh: () => ({\n      recordingBucket: algorithm.fresh(),",
    replace:
      "const shared = algorithm.fresh();\n  return {\n    algorithm,\n    fresh: () => ({\n      recordingBucket: shared,",
  }),
  ...noticedBy(["limit-recovers", "burst-to-limit"], {
    says: "Retry-After is rounded down",
    file: "exchange/respond.ts",
    find: "seconds: (ms) => String(Math.ceil(ms / 1000)),",
    replace: "seconds: (ms) => String(Math.floor(ms / 1000)),",
  }),
  ...noticedBy(["limit-recovers", "thundering-herd", "limit-as-html"], {
    says: "Retry-After is the length of the window, whenever it began",
    file: "world/limits/fixed-window.ts",
    find: "retryAfterMs: (window + 1) * rate.windowMs - nowMs };",
    replace: "retryAfterMs: rate.windowMs };",
  }),
  {
    scenario: "retry-after-date",
    says: "the date is rounded down to the second",
    file: "base/calendar.ts",
    find: "return new Date(Math.ceil(instantMs / 1000) * 1000).toUTCString();",
    replace: "return new Date(instantMs).toUTCString();",
  },
  {
    scenario: "retry-after-date",
    says: "the date is that of the answer, not of the reset",
    file: "exchange/respond.ts",
    find: '"http-date": (ms, nowMs) => formatHttpDate(nowMs + ms),',
    replace: '"http-date": (_ms, nowMs) => formatHttpDate(nowMs),',
  },
  {
    scenario: "limit-no-hint",
    says: "a hint is sent where there should be none",
    file: "exchange/respond.ts",
    find: "absent: () => undefined,",
    replace: 'absent: () => "0",',
  },
  {
    scenario: "limit-as-html",
    says: "a web page is announced as JSON",
    file: "spec/error-bodies.ts",
    find: 'contentType: "text/html; charset=utf-8",',
    replace: "contentType: JSON_TYPE,",
  },
  {
    scenario: "limit-as-html",
    says: "every refusal is 429, whatever was agreed",
    file: "spec/errors.ts",
    find: '"limit.exceeded": { "429": 429, "403": 403, "503": 503 },',
    replace: '"limit.exceeded": { "429": 429, "403": 429, "503": 429 },',
  },
];

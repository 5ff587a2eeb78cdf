/** What each kind of verdict does, and one to begin with. */

import type { Verdict, VerdictKind } from "../../faults/verdict.ts";

const templates: Readonly<Record<VerdictKind, readonly [does: string, verdict: Verdict]>> = {
  respond: [
    "this answer, the service does nothing",
    { kind: "respond", status: 503, headers: { "Retry-After": "5" } },
  ],
  "lose-response": ["the service acts, the connection closes", { kind: "lose-response" }],
  drop: ["the service does nothing, the connection closes", { kind: "drop" }],
  delay: ["the answer comes late", { kind: "delay", delay: "2s" }],
  timeout: ["the service does nothing, no answer ever comes", { kind: "timeout" }],
  reset: ["the service does nothing, the connection is reset", { kind: "reset" }],
  empty: ["the service does nothing, the connection closes without a byte", { kind: "empty" }],
  truncate: ["the service acts, its answer breaks off", { kind: "truncate", share: 0.5 }],
  garbage: ["the service acts, the body is garbage", { kind: "garbage" }],
  "wrong-body": [
    "the service acts, the answer is valid JSON but wrong",
    { kind: "wrong-body", wrong: "ok-false" },
  ],
  drip: ["the answer comes bit by bit", { kind: "drip", bytesPerSecond: 20 }],
  duplicate: ["the service acts twice", { kind: "duplicate" }],
  reorder: ["other answers are sent before this one", { kind: "reorder", by: 1 }],
};

export const faultKinds: [string, string][] = Object.entries(templates).map(([kind, [does]]) => [
  kind,
  `${kind}: ${does}`,
]);

/** The template of a kind as JSON to edit; empty for any other text. */
export function templateOf(kind: string): string {
  const template = Object.entries(templates).find(([name]) => name === kind)?.[1][1];
  return template === undefined ? "" : JSON.stringify(template, undefined, 2);
}

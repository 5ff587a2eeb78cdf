/** What each kind of verdict does, with one to begin with; and the faults that a press turns on. */

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

export const faultKinds: readonly [string, string][] = Object.entries(templates).map(
  ([kind, [does]]) => [kind, `${kind}: ${does}`],
);

/** The template of a kind as JSON to edit; empty for any other text. */
export function templateOf(kind: string): string {
  const template = Object.entries(templates).find(([name]) => name === kind)?.[1][1];
  return template === undefined ? "" : JSON.stringify(template, undefined, 2);
}

/** Usual faults, by the ids that they get. */
export const usualFaults: Readonly<
  Record<string, { readonly label: string; readonly rule: object }>
> = {
  "lost-answers": {
    label: "Lose 1 in 10 answers",
    rule: { match: { share: 0.1 }, verdict: { kind: "lose-response" } },
  },
  "outage-1-min": {
    label: "503 for 1 min",
    rule: { ttl: "1m", verdict: { kind: "respond", status: 503, headers: { "Retry-After": "5" } } },
  },
  "slow-2-s": { label: "2 s slow", rule: { verdict: { kind: "delay", delay: "2s" } } },
  "cut-bodies": { label: "Cut bodies", rule: { verdict: { kind: "truncate", share: 0.5 } } },
  "wrong-bodies": {
    label: "Wrong bodies",
    rule: { verdict: { kind: "wrong-body", wrong: "ok-false" } },
  },
};

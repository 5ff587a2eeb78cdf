/** A verdict of each kind to begin with. */

import type { Verdict, VerdictKind } from "../../faults/verdict.ts";

const templates: Readonly<Record<VerdictKind, Verdict>> = {
  respond: { kind: "respond", status: 503, headers: { "Retry-After": "5" } },
  "lose-response": { kind: "lose-response" },
  drop: { kind: "drop" },
  delay: { kind: "delay", delay: "2s" },
  timeout: { kind: "timeout" },
  reset: { kind: "reset" },
  empty: { kind: "empty" },
  truncate: { kind: "truncate", share: 0.5 },
  garbage: { kind: "garbage" },
  "wrong-body": { kind: "wrong-body", wrong: "ok-false" },
  drip: { kind: "drip", bytesPerSecond: 20 },
  duplicate: { kind: "duplicate" },
  reorder: { kind: "reorder", by: 1 },
};

export const faultKinds: [string, string][] = Object.keys(templates).map((kind) => [kind, kind]);

/** The template of a kind as JSON to edit; empty for any other text. */
export function templateOf(kind: string): string {
  const template = Object.entries(templates).find(([name]) => name === kind)?.[1];
  return template === undefined ? "" : JSON.stringify(template, undefined, 2);
}

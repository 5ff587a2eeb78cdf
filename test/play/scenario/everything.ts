/** A scenario that has one of everything, as its author would write it in JSON; and helpers for others. */

import { InputError } from "../../../src/base/input.ts";
import {
  type ParseScenarioOptions,
  parseScenario,
} from "../../../src/play/scenario/parse-scenario.ts";
import type { Scenario } from "../../../src/scenario.ts";

/** Why the scenario is refused; undefined if it isn't. */
export function refusalOf(input: unknown, options?: ParseScenarioOptions): InputError | undefined {
  try {
    parseScenario(input, options);
    return undefined;
  } catch (error) {
    if (error instanceof InputError && error.field !== "") return error;
    throw error;
  }
}

export const everything: Scenario = {
  $schema: "./scenario.schema.json",
  name: "one-of-everything",
  about: "Every kind of step and matcher once.",
  seed: "seven",
  start: "2026-02-27T00:00:00Z",
  publishers: 3,
  profile: "typical",
  assumptions: { "dedup.repeat": "replay" },
  faults: [{ id: "slow", match: { operation: "stats" }, verdict: { kind: "delay", delay: "1s" } }],
  steps: [
    { signUp: { name: "Acme", surfaces: ["Top", { name: "Side", cpmRange: [1, 2] }] }, as: "acme" },
    {
      impression: { surface: { ref: "acme.surfaces.1.id" }, session_id: "s" },
      as: "first",
      note: "The one that is clicked.",
      publisher: "acme",
      encoding: "form",
      headers: { "X-Trace": "a" },
      timeout: "2s",
      expect: {
        outcome: ["answered", "cut"],
        status: 200,
        headers: { "content-type": { startsWith: "application/json" } },
        body: { ok: true, revenue_credited_inr: { between: [0, 1] } },
        text: { contains: "ok" },
      },
    },
    { click: { impression_id: { ref: "first.impression_id" } }, publisher: "acme", key: null },
    { stats: { from: "2026-02-01" }, as: "report", key: { ref: "publishers.1.apiKey" } },
    { surfaces: {}, expect: { body: { surfaces: { some: { id: { type: "string" } } } } } },
    { payouts: { limit: 20 }, expect: { body: { payouts: { length: { atMost: 20 } } } } },
    {
      raw: { method: "POST", path: "/v1/click?x=1", query: { a: 1 }, body: "{" },
      as: "odd",
      headers: { "if-none-match": { header: "etag", of: "first" } },
    },
    { advance: "90s" },
    { advance: { to: "2026-03-01T00:00:00Z" } },
    { advance: { retryAfterOf: "odd", less: 1, more: "1s" } },
    {
      traffic: {
        for: "1h",
        arrivals: { kind: "daily", mean: "240/h", spacing: "poisson" },
        mix: { impression: 9, stats: 1 },
        publishers: [0, "acme"],
        surfaces: 2,
        repeatedSessions: 0.1,
        clicks: { rate: 0.02, after: "3s" },
      },
      as: "hour",
      expect: { sent: { atLeast: 1 }, statuses: { "200": { not: { absent: true } } } },
    },
    { assume: { "errors.body": "flat" } },
    { fault: { id: "storm", verdict: { kind: "respond", status: 503 }, ttl: "1m" } },
    { heal: ["storm"] },
    { heal: "all" },
    { setSurface: { publisher: "acme", surface: 1, status: "paused" } },
    { rotateKey: { publisher: "acme" }, as: "rotated" },
    {
      repeat: {
        times: 3,
        every: "1m",
        steps: [
          { impression: { session_id: { numbered: "s" } }, key: { ref: "rotated.oldKey" } },
          { expect: { status: { oneOf: [401, 429] } } },
        ],
      },
      as: "rounds",
      expect: { sent: 3 },
    },
    { parallel: { times: 2, steps: [{ impression: {}, as: "twin" }, { stats: {} }] } },
    { expect: { answer: "twin", body: { impression_id: { equals: "x" } } } },
    { expect: { of: "hour.operations.impression.sent", is: { sum: [{ ref: "rounds.sent" }, 1] } } },
  ],
  expectations: [
    { stats: {}, publisher: 1, is: { surfaces: { every: { clicks: { absent: true } } } } },
    { surfaces: {}, is: { surfaces: [] } },
    { payouts: { limit: 1 }, is: { pending_inr: { atMost: { sum: [1, 2] } } } },
    { audit: { balanced: true } },
    { invariant: "M1" },
  ],
  thresholds: ["p99 < 50ms", "invariants = 0"],
};

/** Traffic of each kind of arrivals. */
export const arrivals: readonly object[] = [
  { kind: "constant", rate: "133.5/s" },
  { kind: "ramp", from: "0/s", to: "100/s" },
  { kind: "poisson", rate: "500/h" },
  { kind: "burst", count: 100, every: "10s", within: "1s" },
  { kind: "trace", atMs: [0, 0, 12.5, 900] },
];

/** A scenario of these steps. */
export function of(...steps: readonly unknown[]): Record<string, unknown> {
  return { name: "some", about: "For a test.", steps };
}

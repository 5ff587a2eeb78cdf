/** What a client must survive: 200 with a body that isn't an impression record: empty, HTML, not JSON, not UTF-8, not HTTP. */

import { defineScenario, type Scenario, type Step } from "../src/scenario.ts";

type Rule = NonNullable<Scenario["faults"]>[number];

/** A broken answer, and how the client sees it. */
interface Garbage {
  readonly what: string;
  readonly verdict: Rule["verdict"];
  readonly seen: Extract<Step, { readonly impression?: unknown }>["expect"];
}

/** Records the event, but sends this answer. */
function reply(what: string, contentType: string, body: string, status = 200): Garbage {
  const headers = { "content-type": contentType };
  return {
    what,
    verdict: { kind: "respond", applied: true, status, headers, body },
    seen: { status, headers: { "content-type": { startsWith: contentType } }, text: body },
  };
}

const JSON_TYPE = "application/json";
const garbage: readonly Garbage[] = [
  reply("empty", JSON_TYPE, ""),
  {
    what: "no-content",
    verdict: { kind: "respond", applied: true, status: 204 },
    seen: { status: 204, text: "" },
  },
  reply("login-page", "text/html", "<!doctype html><title>Log in</title><p>Welcome to the hotel."),
  reply("wrong-type", "text/plain", '{"ok":true,"impression_id":"none","revenue_credited_inr":9}'),
  reply("half-json", JSON_TYPE, '{"ok":true,"impression_id":"imp_'),
  reply("two-documents", JSON_TYPE, '{"ok":true}{"ok":true}'),
  reply("null", JSON_TYPE, "null"),
  reply("list", JSON_TYPE, "[]"),
  reply("text", JSON_TYPE, '"ok"'),
  reply("other-types", JSON_TYPE, '{"ok":"yes","impression_id":17,"revenue_credited_inr":"1,50"}'),
  reply("not-ok", JSON_TYPE, '{"ok":false}'),
  reply("prototype", JSON_TYPE, '{"__proto__":{"ok":true},"constructor":null}'),
  reply("deep", JSON_TYPE, "[".repeat(2000) + "]".repeat(2000)),
  reply("huge-number", JSON_TYPE, '{"ok":true,"impression_id":"x","revenue_credited_inr":1e999}'),
  {
    what: "no-utf-8",
    verdict: { kind: "garbage" },
    seen: { status: 200, text: { startsWith: "\uFFFD" } },
  },
  { what: "no-http", verdict: { kind: "garbage", as: "response" }, seen: { outcome: "lost" } },
];

const steps: readonly Step[] = garbage.flatMap(({ what, seen }): Step[] => [
  { impression: { session_id: what }, note: `The body: ${what}.`, expect: seen },
  {
    impression: { session_id: what },
    as: `${what}-again`,
    expect: {
      status: 200,
      headers: { "content-type": "application/json" },
      body: { ok: true, impression_id: { type: "string" }, revenue_credited_inr: 0 },
    },
  },
]);

export const scenario: Scenario = defineScenario({
  name: "garbage-bodies",
  about:
    "Impressions are recorded, but the answers are empty, HTML, not JSON, not UTF-8 or not even HTTP. The client must not crash, must not take such an answer for a success, and must not give the event up: it sends it again under the same session id.",
  faults: garbage.map(({ what, verdict }, index) => ({
    id: what,
    match: { operation: "impression" as const, nth: 2 * index + 1 },
    verdict,
  })),
  steps: [
    ...steps,
    {
      click: { impression_id: "none" },
      note: "An id taken from such a body doesn't exist.",
      expect: { status: 404, body: { code: "impression_not_found" } },
    },
    {
      click: { impression_id: { ref: "no-http-again.impression_id" } },
      as: "click",
      note: "The retry's id is the right one.",
      expect: { status: 200, body: { revenue_credited_inr: { atLeast: 0.01 } } },
    },
  ],
  expectations: [
    {
      stats: { from: "2026-01-15" },
      is: { impressions: garbage.length, clicks: 1 },
    },
    {
      audit: {
        balanced: true,
        total: {
          impressions: {
            attempts: 2 * garbage.length,
            answered: garbage.length,
            injected: 0,
            lost: garbage.length,
            applied: garbage.length,
            unseen: garbage.length,
            duplicatesSuppressed: garbage.length,
            creditedSeenInr: 0,
          },
          clicks: { applied: 1, refused: 1 },
        },
      },
    },
  ],
});

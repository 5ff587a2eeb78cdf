/** What a client must survive: an event is recorded, and its answer is lost, late, cut off or unreadable. */

import type { AnswerExpectation, Scenario, Step } from "../src/scenario.ts";
import { defineScenario } from "../src/scenario.ts";
import {
  assume,
  clickOn,
  credited,
  error,
  newBeside,
  ok,
  ref,
  rule,
  signUp,
  uncredited,
} from "./words.ts";

const publisher = "station";

type Verdict = NonNullable<Scenario["faults"]>[number]["verdict"];

/** A sample answer. With a constant price and ids of 17 characters all answers have the same length. */
const WHOLE = '{"ok":true,"impression_id":"imp_0000000000000","revenue_credited_inr":0.01234}'
  .length;

/** What becomes of an event's answer, and how the client sees it. */
interface Trouble {
  readonly what: string;
  readonly verdict: Verdict;
  readonly seen: AnswerExpectation;
  readonly timeout?: string;
}

const late = { timeout: "100ms", seen: { outcome: "timed-out" } } as const;

const troubles: readonly Trouble[] = [
  { what: "lost", verdict: { kind: "lose-response" }, seen: { outcome: "lost" } },
  { what: "reset", verdict: { kind: "lose-response", as: "reset" }, seen: { outcome: "lost" } },
  { what: "silent", verdict: { kind: "lose-response", as: "silence" }, ...late },
  { what: "slow", verdict: { kind: "delay", delay: "300ms" }, ...late },
  { what: "byte-by-byte", verdict: { kind: "drip", bytesPerSecond: 250 }, ...late },
  ...Array.from({ length: WHOLE }, (_, atByte) => ({
    what: `cut-${atByte}`,
    verdict: { kind: "truncate", atByte } as const,
    seen: {
      outcome: "cut",
      // From Content-Length a client knows that bytes are missing.
      headers: { "content-length": String(WHOLE) },
      text: { length: atByte },
    } as const,
  })),
  body("empty", ""),
  body("login-page", "<!doctype html><title>Log in</title>", "text/html"),
  body("wrong-type", '{"ok":true,"impression_id":"none","revenue_credited_inr":9}', "text/plain"),
  body("half-json", '{"ok":true,"impression_id":"imp_'),
  body("null", "null"),
  body("other-types", '{"ok":"yes","impression_id":17,"revenue_credited_inr":"1,50"}'),
  body("not-ok", '{"ok":false}'),
  body("prototype", '{"__proto__":{"ok":true},"constructor":null}'),
  body("deep", "[".repeat(2000) + "]".repeat(2000)),
  body("huge-number", '{"ok":true,"impression_id":"x","revenue_credited_inr":1e999}'),
  {
    what: "no-content",
    verdict: { kind: "respond", applied: true, status: 204 },
    seen: { status: 204, text: "" },
  },
  {
    what: "no-utf-8",
    verdict: { kind: "garbage" },
    seen: { status: 200, text: { startsWith: "\uFFFD" } },
  },
  { what: "no-http", verdict: { kind: "garbage", as: "response" }, seen: { outcome: "lost" } },
];

/** Records the event, but sends this answer. */
function body(what: string, text: string, contentType = "application/json"): Trouble {
  const headers = { "content-type": contentType };
  return {
    what,
    verdict: { kind: "respond", applied: true, status: 200, headers, body: text },
    seen: { status: 200, headers: { "content-type": { startsWith: contentType } }, text },
  };
}

/** The event was recorded, so the retry learns its id and earns nothing. */
function retried({ what, seen, timeout }: Trouble): Step[] {
  const impression = { session_id: what };
  return [
    { publisher, impression, ...(timeout !== undefined && { timeout }), expect: seen },
    { publisher, impression, as: `${what}-again`, expect: uncredited },
  ];
}

const RECORDED = troubles.length;
const late503: Verdict = { kind: "respond", status: 503, delay: "300ms" };

export const scenario = defineScenario({
  name: "lost-ack",
  about:
    "An impression is recorded but its answer is lost, too late, cut after any of its bytes, or isn't an impression record: empty, HTML, not JSON, not UTF-8, not HTTP. The client must not take it for a success, and must not give the event up: it sends it again under the same session id, and nothing is counted twice. A click's answer is lost, too. Without a session id the impression is counted twice.",
  faults: [
    ...troubles.map(({ what, verdict }, index) => rule(what, "impression", 2 * index + 1, verdict)),
    rule("late-503", "impression", 2 * RECORDED + 1, late503),
    rule("drip", "impression", 2 * RECORDED + 3, { kind: "drip", bytesPerSecond: 250 }),
    rule("without-session", "impression", 2 * RECORDED + 4, { kind: "lose-response" }),
    rule("click-dropped", "click", 1, { kind: "timeout" }),
    rule("click-lost", "click", 2, { kind: "lose-response", as: "reset" }),
  ],
  steps: [
    signUp(publisher, { Board: 12.34 }),
    ...troubles.flatMap(retried),
    {
      publisher,
      impression: { session_id: "never-recorded" },
      timeout: "100ms",
      note: "It looks like the slow one, but the late answer is a 503.",
      expect: { outcome: "timed-out" },
    },
    {
      publisher,
      impression: { session_id: "never-recorded" },
      note: "The retry under the same session id is right for both.",
      expect: credited,
    },
    {
      publisher,
      impression: { session_id: "patient" },
      as: "patient",
      timeout: "5s",
      note: "Byte by byte, for a client that waits: an answer like any other.",
      expect: { ...credited, text: { length: WHOLE } },
    },
    { publisher, impression: {}, note: "Without a session id …", expect: { outcome: "lost" } },
    {
      publisher,
      impression: {},
      note: "… a retry is another impression.",
      expect: newBeside("patient"),
    },
    clickOn("lost-again", { publisher, timeout: "100ms", expect: { outcome: "timed-out" } }),
    clickOn("lost-again", {
      publisher,
      note: "The first click never arrived. This one is recorded.",
      expect: { outcome: "lost" },
    }),
    clickOn("lost-again", { publisher, expect: uncredited }),
    {
      publisher,
      click: { impression_id: "none" },
      note: "An id taken from an unreadable answer doesn't exist.",
      expect: error(404, "impression_not_found"),
    },
    { publisher, stats: {}, expect: ok({ impressions: RECORDED + 4, clicks: 1 }) },
    assume("dedup.repeat", "replay", "This service gives the first answer again."),
    {
      publisher,
      impression: { session_id: "lost" },
      expect: ok({ impression_id: ref("lost-again.impression_id"), revenue_credited_inr: 0.01234 }),
    },
  ],
  expectations: [
    { audit: { total: { impressions: { unseen: RECORDED + 1 }, clicks: { unseen: 1 } } } },
  ],
});

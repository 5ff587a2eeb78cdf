/** What fault rules do in scenes, by name. */

import fc from "fast-check";
import { durationMs } from "../../base/duration.ts";
import type { Verdict } from "../../faults/verdict.ts";
import { unconfirmedWays, wrongWays } from "../../faults/wrong-body.ts";

const html = {
  kind: "respond",
  status: 200,
  body: "<h1>Please log in</h1>",
  headers: { "Content-Type": "text/html" },
} as const;
const refused = (status: number, more = {}): Verdict => ({ kind: "respond", status, ...more });

/** The service did it, and its answer is lost or damaged. */
const lost = [
  { kind: "lose-response" },
  { kind: "lose-response", as: "reset" },
  refused(502, { applied: true }),
  { kind: "duplicate" },
  { kind: "garbage" },
  { kind: "garbage", as: "response" },
  ...[0.5, 0.9].map((share) => ({ kind: "truncate", share }) as const),
] as const satisfies readonly Verdict[];

const lists = {
  /** It fails at once, and doesn't say when to try again. */
  failed: [
    ...[503, 500].map((status) => refused(status)),
    refused(502, { body: "<h1>Bad gateway</h1>" }),
    ...(["drop", "reset", "empty"] as const).map((kind) => ({ kind })),
  ],
  /** No answer ever comes, or only its head. */
  silent: [
    { kind: "timeout" },
    { kind: "lose-response", as: "silence" },
    { kind: "drop", as: "silence" },
    { kind: "drip", bytesPerSecond: 0.001 },
  ],
  /** The client can't know whether the service did it. */
  doubtful: [
    ...lost,
    refused(200, { applied: true }),
    { ...html, applied: true },
    { kind: "delay", delay: "35s" },
    { kind: "drip", bytesPerSecond: 1 },
  ],
  lost,
  /** Something unreadable in place of the answer, and the service did nothing. */
  unreadable: [html, refused(200)],
  /** For good. Spec §7 shows no refusal: several statuses and shapes. */
  refused: [
    ...[400, 404, 410, 422, 409, 403].map((status) => refused(status)),
    refused(400, { body: { error: { code: "refused", message: "No." } } }),
    refused(422, { body: "Refused", headers: { "Content-Type": "text/plain" } }),
    // A client that looks only at the body takes this for a success.
    refused(400, { body: { ok: true, impression_id: "imp-of-nobody", click_id: "clk-of-nobody" } }),
  ],
  key: [refused(401, { delay: "137ms" })],
  /** Clients wait longer than this for an answer. */
  slow: [1, 2, 4].map((seconds) => ({ kind: "delay", delay: `${seconds}s` }) as const),
  late: [{ kind: "delay", delay: "5m" }],
  reordered: [{ kind: "reorder", by: 1, atMost: "1s" }],
  /** Valid JSON that isn't what the spec describes. */
  wrong: [
    ...wrongWays.map((wrong) => ({ kind: "wrong-body", wrong }) as const),
    ...unconfirmedWays.map((wrong) => ({ kind: "wrong-body", wrong, applied: false }) as const),
  ],
  /** A limit that doesn't say when to come back. */
  untold: [refused(429, { headers: { "X-RateLimit-Remaining": "0" } })],
  /** It names no time to come. A date in the past says that the client may come back at once. */
  hint: ["soon", "Thu, 01 Jan 2015 00:00:00 GMT", "-1", "1.5", "", "in a minute"].flatMap((hint) =>
    [429, 503].map((status) => refused(status, { headers: { "Retry-After": hint } })),
  ),
} as const satisfies Readonly<Record<string, readonly Verdict[]>>;

/** Anything that can go wrong with one request, by how often. */
const any: readonly (keyof typeof lists)[] = [
  ...(["failed", "failed", "doubtful", "doubtful", "silent", "unreadable"] as const),
  ...(["refused", "wrong", "wrong", "slow", "reordered", "late"] as const),
];

const brief = ["failed", "lost", "unreadable", "refused", "wrong"] as const;

/** By name; `limit150s`: a limit refuses for so long, mostly with 429. */
export function verdicts(name: string): fc.Arbitrary<Verdict> {
  if (name === "any") return fc.oneof(...any.map(oneOf), limit(5), limit(150));
  if (name === "brief") return fc.oneof(...brief.map(oneOf), limit(2));
  if (name === "down") return fc.oneof(oneOf("failed"), oneOf("silent"));
  const [, duration] = /^limit(\w+)$/.exec(name) ?? [];
  if (duration !== undefined) return limit(durationMs(duration) / 1000);
  if (Object.hasOwn(lists, name)) return oneOf(name as keyof typeof lists);
  throw new Error(`A scene has the fault ${name}, which isn't known.`);
}

function oneOf(name: keyof typeof lists): fc.Arbitrary<Verdict> {
  return fc.constantFrom<Verdict>(...lists[name]);
}

function limit(seconds: number): fc.Arbitrary<Verdict> {
  const headers = { "Retry-After": String(seconds), "X-RateLimit-Remaining": "0" };
  return fc.constantFrom(429, 429, 429, 503, 403).map((status) => refused(status, { headers }));
}

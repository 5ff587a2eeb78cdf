/** Arbitraries of disturbances: faults, exhausted limits, and pauses to recover. The simplest come first. */

import fc from "fast-check";
import { HOUR_MS, MINUTE_MS } from "../../../base/duration.ts";
import { given } from "../../../base/given.ts";
import type { FaultMatch } from "../../../faults/rule.ts";
import type { Verdict } from "../../../faults/verdict.ts";
import { unconfirmedWays, type WrongWay } from "../../../faults/wrong-body.ts";
import type { OperationId } from "../../../spec/operations.ts";
import type { Command, QueryKind } from "../../session/command.ts";
import { weightedOneOf } from "./sequences.ts";

export const heal: fc.Arbitrary<Command> = fc.constant({ kind: "heal" });

/** Lets time pass, in seconds. */
export function advance(from: number, to: number): fc.Arbitrary<Command> {
  return fc.integer({ min: from, max: to }).map((s) => ({ kind: "advance", byMs: s * 1000 }));
}

/** A fault in some of the next requests, or in all from now on. */
export function fault(
  verdicts: fc.Arbitrary<Verdict>,
  matches: fc.Arbitrary<FaultMatch> = some,
): fc.Arbitrary<Command> {
  return fc
    .tuple(verdicts, matches)
    .map(([verdict, match]): Command => ({ kind: "fault", rule: { match, verdict } }));
}

const recording = fc.constantFrom<OperationId | OperationId[]>(
  "impression",
  ["impression", "click"],
  "click",
);

/** The next few requests, or one of them: later ones may get through. */
export const some: fc.Arbitrary<FaultMatch> = fc.oneof(
  fc.record({ operation: recording, times: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ operation: recording, nth: fc.integer({ min: 1, max: 4 }) }),
);
/** The next requests for this operation, or all from now on. */
export function next(operation: OperationId, times?: number): fc.Arbitrary<FaultMatch> {
  return fc.constant(given({ operation, times }));
}

/** All requests to record an event. */
export const lasting: fc.Arbitrary<FaultMatch> = fc.constantFrom<FaultMatch>(
  { operation: ["impression", "click"] },
  { operation: "impression" },
  {},
);

const hangups: readonly Verdict[] = [{ kind: "drop" }, { kind: "reset" }, { kind: "empty" }];
const failing: readonly Verdict[] = [
  { kind: "respond", status: 503 },
  { kind: "respond", status: 500, body: "Internal error" },
  { kind: "respond", status: 502, body: "<h1>Bad gateway</h1>" },
];
const silent: readonly Verdict[] = [
  { kind: "timeout" },
  { kind: "lose-response", as: "silence" },
  { kind: "drop", as: "silence" },
];
const html: Verdict = {
  kind: "respond",
  status: 200,
  headers: { "Content-Type": "text/html" },
  body: "<h1>Please log in</h1>",
};
const corrupted: readonly Verdict[] = [
  { kind: "garbage" },
  html,
  { kind: "respond", status: 200 },
  { kind: "truncate", share: 0.5 },
  { kind: "truncate", share: 0.9 },
  { kind: "garbage", as: "response" },
  { ...html, applied: true },
];
const tooLate: Verdict = { kind: "delay", delay: "35s" };
const late: readonly Verdict[] = [
  tooLate,
  { kind: "delay", delay: "2s" },
  { kind: "drip", bytesPerSecond: 10 },
  { kind: "reorder", by: 1, atMost: "1s" },
];
const uncertain: readonly Verdict[] = [
  { kind: "lose-response" },
  { kind: "lose-response", as: "reset" },
  { kind: "respond", status: 502, applied: true },
  { kind: "duplicate" },
  { kind: "duplicate", answer: "second" },
];

/** All requests take a while, but clients wait longer than this for an answer. */
export const slow: fc.Arbitrary<Command> = fault(
  fc.constantFrom<Verdict>({ kind: "delay", delay: "1s" }, { kind: "delay", delay: "2s" }),
  fc.constant({}),
);

/** The answer comes a little later. That shows which requests were under way by then, and which were sent after it. */
export function delayed(verdicts: fc.Arbitrary<Verdict>): fc.Arbitrary<Verdict> {
  return verdicts.map((verdict) => ({ ...verdict, delay: "137ms" }));
}

const tooSlow: Verdict = { kind: "drip", bytesPerSecond: 1 };
const unsaid: Verdict = { kind: "respond", status: 200, applied: true };
/** Valid JSON that isn't what the spec describes, or another status than 200. */
const unclear: readonly Verdict[] = (
  ["missing-numbers", "status-202", "missing-id", "null-body", "status-204"] as const
).map((wrong) => ({ kind: "wrong-body", wrong }));

function anyOf(...lists: readonly (readonly Verdict[])[]): fc.Arbitrary<Verdict> {
  return fc.constantFrom(...lists.flat());
}

/** The service did nothing, and its answer is missing or an error. */
export const lost: fc.Arbitrary<Verdict> = anyOf(hangups, failing, silent);
/** It fails at once, and doesn't say when to try again. */
export const failed: fc.Arbitrary<Verdict> = anyOf(failing, hangups);
/** It fails, and says so. */
export const serverError: fc.Arbitrary<Verdict> = anyOf(failing);
/** The client can't know whether the service did it. */
export const doubtful: fc.Arbitrary<Verdict> = anyOf(uncertain, corrupted, hangups, silent, late);
/** The service processed the request, but the answer is missing, unreadable, late or wrong. */
export const processed: fc.Arbitrary<Verdict> = weightedOneOf(
  [2, anyOf(uncertain.slice(0, 3))],
  [3, fc.constantFrom<Verdict>({ kind: "lose-response", as: "silence" }, tooLate, tooSlow)],
  [
    4,
    anyOf(
      corrupted.filter((one) => one.kind !== "respond" || one.applied === true),
      [unsaid],
    ),
  ],
  [3, anyOf(unclear)],
);
/** Something unreadable in place of the answer. */
export const broken: fc.Arbitrary<Verdict> = anyOf(corrupted);
/** The same, and the service did nothing. */
export const unreadable: fc.Arbitrary<Verdict> = anyOf([
  html,
  { kind: "respond", status: 200 },
  { kind: "wrong-body", wrong: "null-body", applied: false },
]);
/** No answer ever comes, or only its head. */
export const silence: fc.Arbitrary<Verdict> = anyOf(silent, [
  { kind: "drip", bytesPerSecond: 0.001 },
]);

/** The service did nothing, and its answer is one that the spec doesn't describe. */
export const unconfirmed: fc.Arbitrary<Verdict> = fc
  .constantFrom(...unconfirmedWays)
  .map((wrong) => ({ kind: "wrong-body", wrong, applied: false }));
/** The event is recorded, and only the credit in the answer is wrong. */
export const wrongCredit: fc.Arbitrary<Verdict> = fc
  .constantFrom("numbers-as-text" as const, "missing-numbers" as const, "null-numbers" as const)
  .map((wrong) => ({ kind: "wrong-body", wrong }));
const misshapenAlways: readonly WrongWay[] = [
  ...(["ok-false", "missing-list", "null-rows", "null-body", "status-204"] as const),
  ...(["missing-id", "null-id", "id-as-number"] as const),
  ...(["missing-numbers", "null-numbers", "numbers-as-text"] as const),
];
/** The answer to a query is one that the spec doesn't describe. */
export const misshapen: Readonly<Record<QueryKind, readonly Verdict[]>> = {
  // Statistics name the publisher that they are about.
  stats: [...misshapenAlways, "foreign-id" as const].map((wrong) => ({
    kind: "wrong-body",
    wrong,
  })),
  surfaces: misshapenAlways.map((wrong) => ({ kind: "wrong-body", wrong })),
  payouts: misshapenAlways.map((wrong) => ({ kind: "wrong-body", wrong })),
};

/** Another program uses up a limit, except for at most two requests. */
export function spent(of: "recording" | "reporting"): fc.Arbitrary<Command> {
  return fc.nat({ max: 2 }).map((left) => ({ kind: "spend", left, of }));
}

/** A request limit refuses, and says when to try again. */
export const limitedWithRetryAfter: fc.Arbitrary<Verdict> = limitedBy([429, 503]);
/** The same, but never with 429. */
export const limitedByOtherStatus: fc.Arbitrary<Verdict> = limitedBy([403, 503]);

/** A request limit refuses, and doesn't say when to try again. */
export const limitedWithoutHint: fc.Arbitrary<Verdict> = fc.constant({
  kind: "respond",
  status: 429,
  headers: { "X-RateLimit-Remaining": "0" },
});

/** Refuses, and names no time to come. A date in the past says that the client may come back at once. */
export const refusedWithUselessHint: fc.Arbitrary<Verdict> = fc
  .tuple(
    fc.constantFrom(429, 503),
    fc.constantFrom("soon", "Thu, 01 Jan 2015 00:00:00 GMT", "-1", "1.5", "", "in a minute"),
  )
  .map(([status, hint]) => ({ kind: "respond", status, headers: { "Retry-After": hint } }));

/** After two minutes every limit is free again, however "a minute" is counted, and every client has stopped waiting. */
export const OVER_MS = 2 * MINUTE_MS;

/** A limit refuses with 429 for this long, in seconds. */
export function limitedFor(seconds: number): fc.Arbitrary<Verdict> {
  return limitedBy([429], [seconds]);
}

function limitedBy(
  statuses: readonly number[],
  seconds: readonly number[] = [5, 2, 30, 150],
): fc.Arbitrary<Verdict> {
  return fc
    .tuple(fc.constantFrom(...statuses), fc.constantFrom(...seconds))
    .map(([status, waitS]) => ({
      kind: "respond",
      status,
      headers: { "Retry-After": String(waitS), "X-RateLimit-Remaining": "0" },
    }));
}

/** The next request for this operation is refused until a date: by a limit, or for lack of capacity. */
export function refusedUntilDate(operation: OperationId): fc.Arbitrary<Command> {
  return fc.tuple(fc.constantFrom(429, 503), fc.constantFrom(30, 150)).map(([status, waitS]) => ({
    kind: "fault",
    rule: { match: { operation, times: 1 }, verdict: { kind: "respond", status } },
    retryInMs: waitS * 1000,
  }));
}

/** A minute before midnight in UTC or in India, if the world's time starts at midnight UTC, as it does by default. */
export const lateInTheDay: fc.Arbitrary<Command> = fc
  .constantFrom(24 * HOUR_MS, 18.5 * HOUR_MS)
  .map((midnightMs) => ({ kind: "advance", byMs: midnightMs - MINUTE_MS }));

/** Permanent refusals, in several shapes: spec §7 shows none. */
export const refusal: fc.Arbitrary<Verdict> = fc
  .tuple(fc.constantFrom(400, 404, 422, 410, 409, 401, 403), fc.nat({ max: 4 }))
  .map(([status, shape]) => ({ kind: "respond", status, ...shapes[shape] }));
const shapes = [
  {},
  { body: { error: { code: "refused", message: "No." } } },
  { body: "Refused", headers: { "Content-Type": "text/plain" } },
  { body: "<h1>Refused</h1>", headers: { "Content-Type": "text/html" } },
  // A client that looks only at the body takes this for a success.
  { body: { ok: true, impression_id: "imp-of-nobody", click_id: "clk-of-nobody" } },
] as const;

/** Reads scenes: lines of words, each of which is a command, also by the name of what a fault rule does. */

import fc from "fast-check";
import { durationMs } from "../../base/duration.ts";
import { given } from "../../base/plain-data.ts";
import type { FaultMatch } from "../../faults/rule.ts";
import type { Verdict } from "../../faults/verdict.ts";
import { unconfirmedWays, wrongWays } from "../../faults/wrong-body.ts";
import { clientWords } from "../arbitraries/commands.ts";
import type { ClientCommand, Command } from "../session/command.ts";

export type Scene = fc.Arbitrary<readonly Command[]>;

/** It is there, but it can shrink to nothing. */
const NEARLY_ALWAYS = 1_000_000;

/** Names for several operations. */
const targets: Readonly<Record<string, FaultMatch["operation"]>> = {
  all: undefined,
  events: ["impression", "click"],
  queries: ["stats", "surfaces", "payouts"],
};

/** A few of the next requests to record, or one query. */
const someRequests: fc.Arbitrary<FaultMatch> = fc.constantFrom<FaultMatch>(
  ...[1, 1, 1, 2].map((times) => ({ operation: "impression", times }) as const),
  ...[1, 1].map((times) => ({ operation: "click", times }) as const),
  ...[2, 4].map((times) => ({ operation: ["impression", "click"], times }) as FaultMatch),
  ...[2, 3].map((nth) => ({ operation: ["impression", "click"], nth }) as FaultMatch),
  ...(["stats", "surfaces", "payouts"] as const).map((operation) => ({ operation, times: 1 })),
);

export function sceneOf(line: string): Scene {
  const commands = wordsIn(line).map((word) =>
    fc.option(wordOf(word), { nil: undefined, freq: NEARLY_ALWAYS }),
  );
  return fc.tuple(...commands).map((all) => all.filter(isThere));
}

export function wordsIn(line: string): readonly string[] {
  return line.trim().match(/\d*x?\([^)]*\)\S*|\S+/g) ?? [];
}

function isThere(command: Command | undefined): command is Command {
  return command !== undefined && !(command.kind === "together" && command.commands.length === 0);
}

/**
 * - `view`: a command to the client; `(view click)`: several at once; `(view click)/1s`: one every second; `25x(view click)`: 25 at
 *   once, each one of these.
 * - `20m|2h`: so much time passes.
 * - `failed@impression*4`: the next four impressions fail. `~137ms`: after that time. `#3,6`: only the third and the sixth.
 * - `up`: no fault any more. `spent:reporting`: another program uses up that limit.
 */
function wordOf(word: string): fc.Arbitrary<Command> {
  const [, count, inside, apart] = /^(?:(\d+)x)?\((.*)\)(?:\/(.+))?$/.exec(word) ?? [];
  if (inside !== undefined) return groupOf(inside.split(" ").map(clientWord), count, apart);
  const [, verdict, delay, target, times, nth] =
    /^(\w+)(?:~(\w+))?@(\w+)(?:\*(\d+))?(?:#([\d,]+))?$/.exec(word) ?? [];
  if (verdict !== undefined && target !== undefined)
    return faultOf(verdict, delay, [target, times, nth]);
  if (/^\d/.test(word)) {
    const byMs = fc.constantFrom(...word.split("|").map(durationMs));
    return byMs.map((ms) => ({ kind: "advance", byMs: ms }));
  }
  if (word === "up") return fc.constant({ kind: "heal" });
  const [kind, of] = word.split(":");
  if (kind === "spent" && (of === "recording" || of === "reporting"))
    return fc.nat({ max: 2 }).map((left) => ({ kind: "spend", left, of }));
  return clientWord(word);
}

function clientWord(word: string): fc.Arbitrary<ClientCommand> {
  const found = clientWords[word];
  if (found === undefined) throw new Error(`A scene has the word ${word}, which isn't known.`);
  return found;
}

function groupOf(
  words: readonly fc.Arbitrary<ClientCommand>[],
  count: string | undefined,
  apart: string | undefined,
): fc.Arbitrary<Command> {
  const all =
    count === undefined ? words : Array.from({ length: Number(count) }, () => fc.oneof(...words));
  const some = all.map((one) => fc.option(one, { nil: undefined, freq: NEARLY_ALWAYS }));
  const apartMs = apart === undefined ? undefined : durationMs(apart);
  return fc.tuple(...some).map((commands) => ({
    kind: "together",
    commands: commands.filter((one) => one !== undefined),
    ...given({ apartMs }),
  }));
}

function faultOf(
  name: string,
  delay: string | undefined,
  [target, times, nth]: readonly [string, string | undefined, string | undefined],
): fc.Arbitrary<Command> {
  const operation = Object.hasOwn(targets, target) ? targets[target] : target;
  const match = given({
    operation,
    times: times && Number(times),
    nth: nth?.split(",").map(Number),
  }) as FaultMatch;
  const matches = target === "some" ? someRequests : fc.constant(match);
  if (name === "until") return untilDate(matches);
  return fc.tuple(verdicts(name), matches).map(([verdict, of]) => ({
    kind: "fault",
    rule: {
      match: of,
      verdict: delay === undefined ? verdict : ({ ...verdict, delay } as Verdict),
    },
  }));
}

/** The next request is refused until a date: by a limit, or for lack of capacity. */
function untilDate(matches: fc.Arbitrary<FaultMatch>): fc.Arbitrary<Command> {
  return fc
    .tuple(matches, fc.constantFrom(429, 503), fc.constantFrom(30_000, 150_000))
    .map(([match, status, retryInMs]) => ({
      kind: "fault",
      rule: { match: { ...match, times: 1 }, verdict: { kind: "respond", status } },
      retryInMs,
    }));
}

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
function verdicts(name: string): fc.Arbitrary<Verdict> {
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

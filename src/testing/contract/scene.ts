/** Reads scenes: lines of words, each of which is a command. */

import fc from "fast-check";
import { durationMs } from "../../base/duration.ts";
import { given } from "../../base/plain-data.ts";
import type { FaultMatch } from "../../faults/rule.ts";
import type { Verdict } from "../../faults/verdict.ts";
import { clientWords } from "../arbitraries/commands.ts";
import type { ClientCommand, Command } from "../session/command.ts";
import { verdicts } from "./verdicts.ts";

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

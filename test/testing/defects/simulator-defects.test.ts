/**
 * Thirty defects of the simulator: random sequences of commands, checked by the oracle and the laws, find each of them.
 * In `.ci/run` the sequences are also shrunk until they are short enough to read. ADSIM_REPORT prints the table.
 */

import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { beforeAll, expect, test } from "vitest";
import { isThorough, runsOf } from "../../budget.ts";
import type { Found } from "./hunt.ts";
import { simulatorDefects } from "./simulator-defects.ts";
import { type TopicName, topics } from "./topics.ts";
import type { Trial, TrialResult } from "./try-defects.ts";

// The list's own names are its keys.
const allTopics = Object.keys(topics) as TopicName[];

/** The unchanged simulator with every topic, then each defect with its own. */
const trials: readonly Trial[] = [
  { number: 0, change: undefined, topics: allTopics },
  ...simulatorDefects.map(
    ({ file, find, replace, topic }, index): Trial => ({
      number: index + 1,
      change: { file, find, replace },
      topics: [topic],
    }),
  ),
];

const tried = new Map<number, TrialResult>();
let complaints = "";

/** In a process of its own, which may change modules while it loads them. */
beforeAll(async () => {
  const script = join(import.meta.dirname, "try-defects.ts");
  const child = spawn(process.execPath, ["--no-warnings", script]);
  child.stdin.end(JSON.stringify(trials));
  const [lines, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  complaints = errors;
  for (const line of lines.split("\n").filter(Boolean)) {
    const one = JSON.parse(line) as TrialResult;
    tried.set(one.number, one);
  }
  if (process.env.ADSIM_REPORT !== undefined) console.log(table());
}, 300_000);

function foundIn(number: number): readonly Found[] {
  const one = tried.get(number);
  if (one === undefined) throw new Error(`Trial ${number} came to no end. ${complaints}`);
  if (one.failed !== undefined) throw new Error(one.failed);
  return one.found;
}

test("the unchanged simulator passes the sequences of every topic", () => {
  const found = foundIn(0);
  expect(found.map(({ caught }) => caught)).toEqual(allTopics.map(() => undefined));
  expect(found.map(({ sequences }) => sequences)).toEqual(
    allTopics.map((name) => runsOf(topics[name].sequences)),
  );
});

test.each(simulatorDefects.map(({ says }, index) => [says, index + 1] as const))(
  "caught: %s",
  (_says, number) => {
    const [found] = foundIn(number);
    expect(found?.caught).toMatchObject({
      by: expect.any(String),
      why: expect.stringMatching(/./),
    });
  },
);

test("there are thirty different defects", () => {
  expect(simulatorDefects).toHaveLength(30);
  expect(new Set(simulatorDefects.map(({ says }) => says)).size).toBe(30);
});

const shrunk = "9 in 10 sequences shrink to at most 8 commands";
// They are shrunk only then.
if (isThorough)
  test(shrunk, () => {
    const short = trials.slice(1).filter(({ number }) => {
      const [found] = foundIn(number);
      return found?.caught !== undefined && found.caught.commands <= 8;
    });
    expect(short.length).toBeGreaterThanOrEqual(27);
  });

function table(): string {
  const cpuMs = [...tried.values()].reduce((sum, one) => sum + one.cpuMs, 0);
  const rows = simulatorDefects.map(({ says, topic }, index) => {
    const [found] = foundIn(index + 1);
    const { by = "nothing", commands = "-" } = found?.caught ?? {};
    return `${says} | ${topic} | ${by} | ${commands} commands, of sequence ${found?.sequences}`;
  });
  return [...rows, `${cpuMs} ms of CPU`].join("\n");
}

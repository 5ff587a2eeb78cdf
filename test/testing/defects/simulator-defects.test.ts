/**
 * Random sequences of commands, checked by the oracle and the laws, find defects of the simulator. In `.ci/run` the sequences
 * are also shrunk until they are short enough to read.
 */

import fc from "fast-check";
import { expect, test } from "vitest";
import type { Profile } from "../../../src/index.ts";
import { isThorough, runsOf } from "../../budget.ts";
import type { Plant } from "../../planted/plant.ts";
import { simulatorDefects } from "../../planted/simulator-defects.ts";
import { anyCommand, usualWeights } from "../../properties/commands.ts";
import { judgeRun } from "../../properties/laws.ts";
import { anyOptions, lot, Play, stageOf, type Worlds } from "../../properties/sequence.ts";
import { type TopicName, topics } from "./topics.ts";

/** The laws cost more than all else: one in so many sequences is checked, and they take turns. */
const LAWS_ONE_IN = 4;
const SEED = 20_260_115;

/** Few, because computing a population's past takes longer than playing a sequence. */
const fewWorlds: Worlds = fc.record({
  seed: fc.constant("adsim"),
  start: fc.constantFrom("2026-01-15T00:00:00Z", "2024-02-28T23:59:59.999Z"),
  publishers: fc.constant(2),
  profile: fc.constantFrom<Profile>("typical", "tiny", "adversarial"),
});

/** @returns how many commands show that something is wrong; undefined if no sequence does. */
function hunt(topic: TopicName, sequences: number, plant?: Plant): number | undefined {
  const { about, weights, unusualOneIn, mostCommands } = topics[topic];
  const command = anyCommand({ ...usualWeights, ...weights }, unusualOneIn);
  const commands = fc.commands([command.map((one) => new Play(one))], {
    maxCommands: mostCommands,
    size: "max",
  });
  const { failed, counterexample } = fc.check(
    fc.property(anyOptions(about, fewWorlds), lot, commands, (options, number, sequence) => {
      const { stage, run } = stageOf(options, () => undefined, plant);
      fc.modelRun(() => ({ model: stage, real: null }), sequence);
      if (number % LAWS_ONE_IN === 0) judgeRun(run(), number / LAWS_ONE_IN);
    }),
    { seed: SEED, numRuns: sequences, endOnFailure: !isThorough },
  );
  if (!failed) return undefined;
  // fast-check also keeps the commands after the failure.
  return Array.from(counterexample?.[2] ?? []).filter((one) => "hasRan" in one && one.hasRan)
    .length;
}

test.each(Object.entries(topics))("the simulator as it is: %s", (topic, { sequences }) => {
  expect(hunt(topic as TopicName, runsOf(sequences))).toBeUndefined();
});

const lengths: number[] = [];
const hunted = Object.entries(simulatorDefects).filter(([, { topic }]) => topic !== undefined);

test.each(hunted)("caught: %s", (_, { topic = "stats", plant }) => {
  const length = hunt(topic, topics[topic].sequences, plant);
  expect(length).toBeDefined();
  if (length !== undefined) lengths.push(length);
});

// They are shrunk only then.
if (isThorough)
  test("9 in 10 sequences shrink to at most 8 commands", () => {
    const short = lengths.filter((length) => length <= 8);
    expect(short.length).toBeGreaterThanOrEqual(0.9 * hunted.length);
  });

/**
 * Random sequences of commands find defects of the simulator: the oracle expects other answers. `npm test` hunts a few.
 * With RUNS=1 all are hunted, and the sequences shrunk until they are short enough to read.
 */

import fc from "fast-check";
import { expect, test } from "vitest";
import type { Profile } from "../../../src/index.ts";
import { isThorough, runsOf, someOf } from "../../budget.ts";
import type { Plant } from "../../planted/plant.ts";
import { huntedDefects, unstagedDefects } from "../../planted/simulator-defects.ts";
import { anyCommand, usualWeights } from "../../properties/commands.ts";
import { anyOptions, Play, stageOf, type Worlds } from "../../properties/sequence.ts";

const SEED = 20_260_115;

/** Few, because computing a population's past takes longer than playing a sequence. */
const fewWorlds: Worlds = fc.record({
  seed: fc.constant("adsim"),
  start: fc.constantFrom("2026-01-15T00:00:00Z", "2024-02-28T23:59:59.999Z"),
  publishers: fc.constant(2),
  profile: fc.constantFrom<Profile>("typical", "tiny", "adversarial"),
});

/** More of what only rarely leads to a defect. */
const weights = {
  ...usualWeights,
  flood: 2,
  overnight: 4,
  "rotate-key": 4,
  snapshot: 6,
  restore: 4,
  fork: 6,
};
const command = anyCommand(weights, 20).map((one) => new Play(one));
const commands = fc.commands([command], { maxCommands: 24, size: "max" });
const SEQUENCES = 200;

/** @returns how many commands show that something is wrong; undefined if no sequence does. */
function hunt(sequences: number, plant?: Plant): number | undefined {
  const { failed, counterexample } = fc.check(
    fc.property(anyOptions([], fewWorlds), commands, (options, sequence) => {
      const { stage } = stageOf(options, () => undefined, plant);
      fc.modelRun(() => ({ model: stage, real: null }), sequence);
    }),
    { seed: SEED, numRuns: sequences, endOnFailure: !isThorough },
  );
  if (!failed) return undefined;
  // fast-check also keeps the commands after the failure.
  return Array.from(counterexample?.[1] ?? []).filter((one) => "hasRan" in one && one.hasRan)
    .length;
}

test("nothing is wrong with the simulator as it is", () => {
  expect(hunt(runsOf(SEQUENCES))).toBeUndefined();
});

const lengths: number[] = [];
const hunted = Object.entries<Plant>({ ...huntedDefects, ...unstagedDefects });

test.each(someOf(hunted))("caught: %s", (_, plant) => {
  const length = hunt(SEQUENCES, plant);
  expect(length).toBeDefined();
  if (length !== undefined) lengths.push(length);
});

// They are shrunk only then.
if (isThorough)
  test("9 in 10 sequences shrink to at most 8 commands", () => {
    const short = lengths.filter((length) => length <= 8);
    expect(short.length).toBeGreaterThanOrEqual(0.9 * lengths.length);
  });

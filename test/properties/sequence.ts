/** The world of a random sequence, its commands as fast-check plays them, and the stage that they are played on. */

import fc from "fast-check";
import type { Profile } from "../../src/index.ts";
import { nonDefaultChoices } from "../../src/spec/assumptions/resolve.ts";
import type { Choices } from "../oracle/choices.ts";
import { createOracle } from "../oracle/oracle.ts";
import { anyAssumptions } from "./assumptions.ts";
import type { Command } from "./commands.ts";
import { perform } from "./perform.ts";
import { pristineOf } from "./pristine.ts";
import { createPlayer, type Run, type RunOptions } from "./run.ts";
import type { Stage } from "./stage.ts";

/** A sequence's number is drawn, not counted, so that the same invariants judge it when it is replayed or shrunk. */
export const lot: fc.Arbitrary<number> = fc.noShrink(fc.noBias(fc.nat(9999)));

/** Which worlds sequences are played in. */
export type Worlds = fc.Arbitrary<Pick<RunOptions, "seed" | "start" | "publishers" | "profile">>;

const anyWorld: Worlds = fc.record({
  seed: fc.constantFrom("adsim", "a", "", "🌱", "42"),
  start: fc.constantFrom(
    "2026-01-15T00:00:00Z",
    "2024-02-28T23:59:59.999Z",
    "2027-12-31T18:29:59.998Z",
    "1999-12-31T23:30:00Z",
    "2026-03-06T18:29:00Z",
  ),
  publishers: fc.integer({ min: 1, max: 3 }),
  profile: fc.constantFrom<Profile>("typical", "tiny", "tiny", "adversarial"),
});

export function anyOptions(
  about: readonly (keyof Choices)[],
  worlds: Worlds = anyWorld,
): fc.Arbitrary<RunOptions> {
  const options = fc
    .tuple(worlds, anyAssumptions(about))
    .map(([world, assumptions]) => ({ ...world, assumptions }));
  // A counterexample is shown with the assumptions that matter.
  return options.map((one) =>
    Object.defineProperty(one, fc.toStringMethod, { value: () => shownOptions(one) }),
  );
}

function shownOptions(options: RunOptions): string {
  return JSON.stringify({ ...options, assumptions: nonDefaultChoices(options.assumptions) });
}

export class Play implements fc.Command<Stage, null> {
  readonly command: Command;

  constructor(played: Command) {
    this.command = played;
  }

  check(): boolean {
    return true;
  }

  run(stage: Stage): void {
    perform(this.command, stage);
  }

  toString(): string {
    return JSON.stringify(this.command);
  }
}

export function stageOf(
  options: RunOptions,
  sometimes: (place: string) => void,
  plant?: Parameters<typeof createPlayer>[1],
): { stage: Stage; run(): Run } {
  const choices: Choices = options.assumptions;
  const pristine = pristineOf(options);
  const player = createPlayer(options, plant);
  const twin =
    choices["money.precision"] === "exact"
      ? undefined
      : createPlayer(withoutRounding(options), plant);
  const { publishers, history } = pristine;
  const oracle = createOracle({ choices, publishers, history, sometimes });
  const stage: Stage = {
    player,
    twin,
    oracle,
    choices,
    deadKeys: [],
    sometimes,
    saved: undefined,
    first: oracle.save(),
  };
  const run = (): Run => ({
    options,
    steps: player.steps,
    sim: player.sim,
    publishers: player.sim.publishers.list({ limit: 1000 }),
    pristine: pristine.sim,
  });
  return { stage, run };
}

/** The same world, where amounts aren't rounded. */
function withoutRounding(options: RunOptions): RunOptions {
  return { ...options, assumptions: { ...options.assumptions, "money.precision": "exact" } };
}

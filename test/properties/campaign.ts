/**
 * Plays random command sequences under random assumptions: each answer against the oracle, each finished run against
 * the laws. A campaign that keeps silent has reached every place on its list, and tried every law often enough.
 */

import fc from "fast-check";
import { expect } from "vitest";
import { defaultAssumptions } from "../../src/assumptions/resolve.ts";
import type { Profile } from "../../src/index.ts";
import { createMarks } from "../../src/testing/marks.ts";
import { createOracle } from "../oracle/oracle.ts";
import type { Readings } from "../oracle/readings.ts";
import { anyAssumptions } from "./assumptions.ts";
import { checkProperty, replayPath } from "./check-property.ts";
import { anyCommand, type Command, type CommandKind, usualWeights } from "./commands.ts";
import { laws, lawsFor } from "./laws.ts";
import { perform } from "./perform.ts";
import { pristineOf } from "./pristine.ts";
import { createPlayer, type Player, type Run, type RunOptions } from "./run.ts";
import type { Stage } from "./stage.ts";

export interface Campaign {
  /** The test's name and file, which reproduce it. */
  readonly test: string;
  readonly file: string;
  readonly sequences: number;
  readonly mostCommands: number;
  /** Keys that take any of their choices; of the others only a handful is not at its default. */
  readonly about: readonly (keyof Readings)[];
  /** How often each kind of command comes, where not as usual. */
  readonly weights: Partial<Record<CommandKind, number>>;
  /** One request in so many is sent in an unusual way, or is wrong. */
  readonly unusualOneIn: number;
  /** Every place that has to be reached for the campaign's silence to mean something. */
  readonly places: readonly string[];
}

/** What a campaign did. */
interface Report {
  readonly sequences: number;
  readonly answers: number;
  /** How often each place was reached. */
  readonly places: Readonly<Record<string, number>>;
  /** How many runs each law looked at. */
  readonly laws: Readonly<Record<string, number>>;
}

/** Runs a campaign and expects that it tried every law at its share of the sequences. ADSIM_REPORT prints the counts. */
export function expectCampaign(campaign: Campaign): void {
  const report = runCampaign(campaign);
  if (process.env.ADSIM_REPORT !== undefined) console.log(JSON.stringify(report, null, 1));
  for (const [name, { oneIn, where }] of Object.entries(laws)) {
    // Shares are drawn: half of what is to be expected is certain enough.
    const share = where === undefined ? report.sequences / oneIn / 2 : 0;
    expect(report.laws[name] ?? 0, name).toBeGreaterThan(share);
  }
}

/** @throws Error with a counterexample and how to see it again, or with the places that were never reached. */
function runCampaign(campaign: Campaign): Report {
  const marks = createMarks();
  const tried: Record<string, number> = {};
  let played = 0;
  let answers = 0;
  const command = anyCommand({ ...usualWeights, ...campaign.weights }, campaign.unusualOneIn);
  const sequences = fc.commands([command.map((one) => new Play(one))], {
    maxCommands: campaign.mostCommands,
    size: "max",
    ...(replayPath === undefined ? {} : { replayPath }),
  });
  checkProperty(
    { test: campaign.test, file: campaign.file, runs: campaign.sequences },
    fc.property(anyOptions(campaign.about), lot, sequences, (options, number, sequence) => {
      const { stage, run } = stageOf(options, marks.sometimes);
      fc.modelRun(() => ({ model: stage, real: null }), sequence);
      const finished = run();
      for (const [name, { law }] of lawsFor(number, options.assumptions)) {
        law(finished);
        tried[name] = (tried[name] ?? 0) + 1;
      }
      played += 1;
      answers += finished.steps.filter(({ response }) => response !== undefined).length;
    }),
  );
  marks.expectReached(campaign.places);
  const places = marks.report().marks.map(({ name, reached }): [string, number] => [name, reached]);
  return { sequences: played, answers, places: Object.fromEntries(places), laws: tried };
}

/** A sequence's number is drawn, not counted: who replays or shrinks a sequence has the same laws look at it. */
const lot = fc.noShrink(fc.noBias(fc.nat(9999)));

function anyOptions(about: readonly (keyof Readings)[]): fc.Arbitrary<RunOptions> {
  const options = fc.record({
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
    assumptions: anyAssumptions(about),
  });
  // A counterexample is shown with the assumptions that matter.
  return options.map((one) =>
    Object.defineProperty(one, fc.toStringMethod, { value: () => shownOptions(one) }),
  );
}

function shownOptions(options: RunOptions): string {
  const defaults: Readonly<Record<string, string>> = defaultAssumptions;
  const assumptions = Object.entries(options.assumptions).filter(
    ([key, choice]) => choice !== defaults[key],
  );
  return JSON.stringify({ ...options, assumptions: Object.fromEntries(assumptions) });
}

class Play implements fc.Command<Stage, null> {
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

function stageOf(
  options: RunOptions,
  sometimes: (place: string) => void,
): { stage: Stage; run(): Run } {
  const readings: Readings = options.assumptions;
  const pristine = pristineOf(options);
  const player = createPlayer(options);
  const twin = readings["money.precision"] === "exact" ? undefined : createPlayer(exactly(options));
  const { publishers, history } = pristine;
  const oracle = createOracle({ readings, publishers, history, sometimes });
  const stage: Stage = {
    player,
    twin,
    oracle,
    readings,
    deadKeys: [],
    sometimes,
    saved: undefined,
    first: oracle.save(),
  };
  const runOf = (of: RunOptions, { steps, sim }: Player, exact?: Run): Run => ({
    options: of,
    steps,
    sim,
    publishers: sim.publishers.list({ limit: 1000 }),
    pristine: pristine.sim,
    exact,
  });
  const run = (): Run => {
    const exact = twin === undefined ? undefined : runOf(exactly(options), twin);
    return runOf(options, player, exact);
  };
  return { stage, run };
}

/** The same world, where amounts aren't rounded. */
function exactly(options: RunOptions): RunOptions {
  return { ...options, assumptions: { ...options.assumptions, "money.precision": "exact" } };
}

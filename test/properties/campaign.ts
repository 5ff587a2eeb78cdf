/**
 * Plays random command sequences under random assumptions, and compares each answer with the oracle and each finished run with
 * the invariants. A campaign passes only if it reached every place on its list, and every invariant had something to check often enough.
 */

import fc from "fast-check";
import { expect } from "vitest";
import { isThorough } from "../budget.ts";
import { createMarks } from "../marks.ts";
import type { Choices } from "../oracle/choices.ts";
import { checkProperty, replayPath } from "./check-property.ts";
import { anyCommand, type CommandKind, usualWeights } from "./commands.ts";
import { judgeRun, turns } from "./judge-run.ts";
import { anyOptions, lot, Play, stageOf } from "./sequence.ts";

export interface Campaign {
  /** The test's name and file, which reproduce it. */
  readonly test: string;
  readonly file: string;
  readonly sequences: number;
  /** However small RUNS is: the number that it takes to reach every place. */
  readonly leastSequences?: number;
  readonly mostCommands: number;
  /** Keys that take any of their choices; of the others only a handful is not at its default. */
  readonly about: readonly (keyof Choices)[];
  /** How often each kind of command comes, if not as often as usual. */
  readonly weights: Partial<Record<CommandKind, number>>;
  /** One request in so many is sent in an unusual way, or is wrong. */
  readonly unusualOneIn: number;
  /** Every place that the campaign must reach for a pass to mean something. */
  readonly places: readonly string[];
}

/** What a campaign did. */
interface Report {
  readonly sequences: number;
  readonly answers: number;
  /** How often each place was reached. */
  readonly places: Readonly<Record<string, number>>;
  /** How many runs each invariant found to hold. A run in which it had nothing to check doesn't count. */
  readonly invariants: Readonly<Record<string, number>>;
}

/** Runs a campaign and expects that it tried every invariant at its share of the sequences. ADSIM_REPORT prints the counts. */
export function expectCampaign(campaign: Campaign): void {
  const report = runCampaign(campaign);
  if (process.env.ADSIM_REPORT !== undefined) console.log(JSON.stringify(report, null, 1));
  for (const [id, { oneIn, held = 1 }] of Object.entries(turns)) {
    // Which runs an invariant looks at is drawn. A fair draw falls below half of what is expected, and below three standard
    // deviations of a small number, about once in a thousand times.
    const expected = (held * report.sequences) / oneIn;
    const least = Math.min(expected / 2, expected - 3 * Math.sqrt(expected));
    if (held > 0) expect(report.invariants[id] ?? 0, id).toBeGreaterThan(least);
  }
}

/** @throws Error with a counterexample and how to see it again, or with the places that were never reached. */
function runCampaign(campaign: Campaign): Report {
  const marks = createMarks();
  const held: Record<string, number> = {};
  let played = 0;
  let answers = 0;
  const command = anyCommand({ ...usualWeights, ...campaign.weights }, campaign.unusualOneIn);
  const sequences = fc.commands([command.map((one) => new Play(one))], {
    maxCommands: campaign.mostCommands,
    size: "max",
    ...(replayPath === undefined ? {} : { replayPath }),
  });
  checkProperty(
    {
      test: campaign.test,
      file: campaign.file,
      runs: campaign.sequences,
      leastRuns: campaign.leastSequences,
    },
    fc.property(anyOptions(campaign.about), lot, sequences, (options, number, sequence) => {
      const { stage, run } = stageOf(options, marks.sometimes);
      fc.modelRun(() => ({ model: stage, real: null }), sequence);
      const finished = run();
      for (const id of judgeRun(finished, number)) held[id] = (held[id] ?? 0) + 1;
      played += 1;
      answers += finished.steps.filter(({ response }) => response !== undefined).length;
    }),
  );
  // A few sequences don't reach every place.
  if (isThorough) marks.expectReached(campaign.places);
  const places = marks.report().marks.map(({ name, reached }): [string, number] => [name, reached]);
  return { sequences: played, answers, places: Object.fromEntries(places), invariants: held };
}

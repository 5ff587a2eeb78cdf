/**
 * Plays scenarios on the simulator with defects planted into it, and writes what came of each as a line of JSON.
 * The invariants aren't looked at: a scenario has to notice by itself.
 */

import { stdin, stdout } from "node:process";
import { text } from "node:stream/consumers";
import type { PlayResult, Scenario } from "../../../src/scenario.ts";
import { type Change, importCopy } from "../../planted-modules.ts";
import { shortened } from "./shortened.ts";

/** What is to be played on one copy of the modules. Without a change it is the simulator as it is. */
export interface Copy {
  readonly change: Change | undefined;
  readonly scenarios: readonly string[];
}

/** A line of the output. */
export interface Played {
  /** Place of the copy in the input. */
  readonly copy: number;
  readonly scenario: string;
  /** `failed`: it couldn't be played to the end. */
  readonly verdict: PlayResult["verdict"] | "failed";
  readonly why: string;
  /** Paths of the steps and expectations that are broken. */
  readonly broken: readonly string[];
}

/** The player doesn't look at the invariants of its own accord. */
const withoutInvariants: Change = {
  file: "play/player/play.ts",
  find: "yield* judgeInvariants(run, laws)",
  replace: "[]",
};

async function play(
  name: string,
  copy: number,
  change: Change | undefined,
): Promise<Omit<Played, "copy" | "scenario">> {
  const changes = change === undefined ? [withoutInvariants] : [withoutInvariants, change];
  const { playScenarioSync } = (await importCopy("src/scenario.ts", copy, changes)) as {
    playScenarioSync: (scenario: unknown) => PlayResult;
  };
  const { scenario } = (await importCopy(`scenarios/${name}.ts`, copy, changes)) as {
    scenario: Scenario;
  };
  const { verdict, why, steps } = playScenarioSync(shortened(scenario));
  const broken = steps.filter((step) => step.verdict === "broken").map(({ path }) => path);
  return { verdict, why, broken };
}

const copies = JSON.parse(await text(stdin)) as readonly Copy[];
for (const [copy, { change, scenarios }] of copies.entries()) {
  for (const scenario of scenarios) {
    let played: Omit<Played, "copy" | "scenario">;
    try {
      played = await play(scenario, copy, change);
    } catch (error) {
      played = { verdict: "failed", why: String(error), broken: [] };
    }
    stdout.write(`${JSON.stringify({ copy, scenario, ...played })}\n`);
  }
}

/** Looks for one defect: random sequences, checked by the oracle and the laws. In `.ci/run` the first failure is shrunk. */

import fc from "fast-check";
import type { Profile } from "../../../src/index.ts";
import { isThorough } from "../../budget.ts";
import { anyCommand, type CommandKind, usualWeights } from "../../properties/commands.ts";
import { judgeRun, turns } from "../../properties/laws.ts";
import { anyOptions, lot, Play, stageOf, type Worlds } from "../../properties/sequence.ts";
import { type TopicName, topics } from "./topics.ts";

/** The laws cost more than all else: one in so many sequences is checked, and they take turns. */
const LAWS_ONE_IN = 4;

/** Few, because computing a population's past takes longer than playing a sequence. */
const fewWorlds: Worlds = fc.record({
  seed: fc.constant("adsim"),
  start: fc.constantFrom("2026-01-15T00:00:00Z", "2024-02-28T23:59:59.999Z"),
  publishers: fc.constant(2),
  profile: fc.constantFrom<Profile>("typical", "tiny", "adversarial"),
});

export interface Found {
  /** Undefined where every sequence held. */
  readonly caught:
    | {
        readonly by: string;
        readonly commands: number;
        readonly why: string;
        readonly shown: string;
      }
    | undefined;
  readonly sequences: number;
}

const SEED = 20_260_115;

/** The law that broke; a message without a law's name is the oracle's. */
function lawIn(message: string): string {
  const law = /^(\w+) is broken/.exec(message)?.[1];
  return law !== undefined && Object.hasOwn(turns, law) ? law : "oracle";
}

/** `sequences`: the most that are tried. A failure is shrunk only in `.ci/run`. */
export function hunt(topic: TopicName, sequences: number): Found {
  const { about, weights, unusualOneIn, mostCommands } = topics[topic];
  const kinds: Record<CommandKind, number> = { ...usualWeights, ...weights };
  const command = anyCommand(kinds, unusualOneIn).map((one) => new Play(one));
  const details = fc.check(
    fc.property(
      anyOptions(about, fewWorlds),
      lot,
      fc.commands([command], { maxCommands: mostCommands, size: "max" }),
      (options, number, sequence) => {
        const { stage, run } = stageOf(options, () => undefined);
        fc.modelRun(() => ({ model: stage, real: null }), sequence);
        if (number % LAWS_ONE_IN !== 0) return;
        judgeRun(run(), number / LAWS_ONE_IN);
      },
    ),
    { seed: SEED, numRuns: sequences, endOnFailure: !isThorough },
  );
  if (!details.failed) return { caught: undefined, sequences: details.numRuns };
  const why = messageOf(details.errorInstance);
  const shrunk = details.counterexample?.[2];
  const commands = Array.from(shrunk ?? []).filter(hasRan).length;
  return {
    caught: { by: lawIn(why), commands, why, shown: fc.stringify(details.counterexample) },
    sequences: details.numRuns,
  };
}

/** Whether it was played: fast-check also keeps the commands after the failure. */
function hasRan(command: object): boolean {
  return "hasRan" in command && command.hasRan === true;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

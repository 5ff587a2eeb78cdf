/** `adsim replay FILE`: plays a recording as a scenario that expects the recorded answers, and shows those that differ. */

import { nodeHost } from "../../adapters/node-host.ts";
import { given } from "../../base/given.ts";
import { indentedJson } from "../../base/text.ts";
import type { Recording } from "../../journal/recorded-entry.ts";
import { playIn, playScenario } from "../../play/play-scenario.ts";
import type { PlayResult } from "../../play/player/result.ts";
import type { RecordedScenario } from "../../play/recording/scenario-of-recording.ts";
import {
  MAX_RECORDED_STEPS as maxSteps,
  parseScenario,
} from "../../play/scenario/parse-scenario.ts";
import type { Scenario } from "../../play/scenario/types.ts";
import { createSimulatorCore, type SimulatorCore } from "../../simulator/core.ts";
import { type Choices, resolveOptions } from "../../simulator/simulator-options.ts";
import { readAssumptionFlags } from "../options/assumption-flags.ts";
import { isTokenGiven } from "../options/common-options.ts";
import { readLoadFlag } from "../options/load-flag.ts";
import { exitCodes, failureAtTarget, wrongUsage } from "../output/exit.ts";
import { say } from "../output/say.ts";
import { type GivenPublisher, givenPublishers } from "../play/credentials.ts";
import type { HostProcess } from "../processes/host-process.ts";
import { madeOf } from "../record/record.ts";
import { nameFrom, recordingIn } from "../record/recording-in.ts";
import type { ReplayFlags } from "./replay-options.ts";
import { resultOf, resultText } from "./replay-result.ts";

/** @returns 0 if all answers are the same, 1 if one differs or can't be compared. */
export async function replay(file: string, flags: ReplayFlags, host: HostProcess): Promise<number> {
  const credentials = givenPublishers(flags);
  refuseWrongUsage(flags, credentials, host);
  const recording = await recordingIn(file);
  const world = flags.load === undefined ? undefined : await worldIn(flags.load, flags, recording);
  const { seed, start, publishers, profile } = flags;
  const { chosen: assumptions } = await readAssumptionFlags(flags);
  resolveOptions({ seed, start, publishers, profile });
  const made = madeOf(file, recording, {
    name: nameFrom(file),
    expects: "answers",
    publishers: credentials.length > 0 ? "numbered" : "world",
    keepsTime: flags.clock !== "frozen" && (credentials.length === 0 || flags.wait === true),
    world: given({ seed, start, publishers, profile, assumptions }),
    known: world && {
      publishers: world.publishers.credentials(world.publishers.total),
      nowMs: world.clock.now(),
    },
  });
  const played = await playedWith(made, flags, credentials, world);
  const result = resultOf({ file, flags, recording, made, played });
  if (flags.json === true) say(indentedJson(result), host.stdout);
  say(resultText(result), flags.json === true ? host.stderr : host.stdout);
  return result.same === result.sent ? exitCodes.fine : exitCodes.checkFailed;
}

async function playedWith(
  made: RecordedScenario,
  flags: ReplayFlags,
  credentials: readonly GivenPublisher[],
  world: SimulatorCore | undefined,
): Promise<PlayResult> {
  const { target, controlToken } = flags;
  const { scenario } = made;
  if (world !== undefined) {
    const { total } = world.publishers;
    return await playIn(world, parseScenario({ ...scenario, publishers: total }, { maxSteps }), {});
  }
  if (credentials.length === 0) return await playAt(scenario, { target, controlToken, maxSteps });
  const members = withSurfaces(credentials, made);
  // readAssumptionFlags has checked them.
  const assumptions = (await readAssumptionFlags(flags)).chosen as Choices;
  return await playAt(scenario, {
    target,
    credentials: members,
    assumptions,
    wait: true,
    maxSteps,
  });
}

async function playAt(
  scenario: Scenario,
  options: NonNullable<Parameters<typeof playScenario>[1]>,
): Promise<PlayResult> {
  try {
    return await playScenario(scenario, options);
  } catch (error) {
    throw failureAtTarget(error);
  }
}

/** A publisher that was recorded has the surfaces that were recorded. */
function withSurfaces(
  credentials: readonly GivenPublisher[],
  { publishers }: RecordedScenario,
): readonly GivenPublisher[] {
  return credentials.map((one, place) => {
    const recorded = publishers[place];
    if (one.surfaces.length > 0 || recorded?.id !== one.id) return one;
    return { ...one, surfaces: recorded.surfaces.map(({ id }) => id) };
  });
}

/** The world of a snapshot. The effects of its fault rules are in the recording. */
async function worldIn(
  file: string,
  flags: ReplayFlags,
  { entries }: Recording,
): Promise<SimulatorCore> {
  const { snapshot, options } = await readLoadFlag(file, flags);
  const recorded = entries.find(({ world }) => world !== undefined)?.world;
  if (recorded !== undefined && recorded.seed !== snapshot.seed) {
    throw wrongUsage(
      `--load has a world with seed ${JSON.stringify(snapshot.seed)}, but the recorded one has ${JSON.stringify(recorded.seed)}. Give a snapshot of the recorded world.`,
    );
  }
  const wallClock = (): number => snapshot.clock.now;
  const world = createSimulatorCore({ ...options, clock: "frozen", wallClock }, nodeHost);
  world.restore(snapshot);
  world.clock.set({ mode: "frozen" });
  world.faults.clear();
  return world;
}

function refuseWrongUsage(
  flags: ReplayFlags,
  credentials: readonly GivenPublisher[],
  host: HostProcess,
): void {
  const { target, load, wait, clock } = flags;
  if (target !== undefined && load !== undefined)
    throw wrongUsage("--load is for a world in this process. Leave --target out.");
  if (clock !== undefined && clock !== "frozen") {
    throw wrongUsage(
      `--clock ${clock} isn't possible: time follows the recording, or stands still with --clock frozen.`,
    );
  }
  const needsTarget = Object.entries({
    "--control-token": isTokenGiven(flags, host),
    "--api-key": credentials.length > 0,
  }).find(([, isGiven]) => isGiven);
  if (target === undefined && needsTarget !== undefined)
    throw wrongUsage(`${needsTarget[0]} needs --target.`);
  if (wait === true && credentials.length === 0)
    throw wrongUsage("--wait is for a service other than adsim, where time is real.");
}

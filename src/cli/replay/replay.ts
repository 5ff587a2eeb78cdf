/** `adsim replay FILE`: plays a recording as a scenario that expects the recorded answers, and shows those that differ. */

import { nodeHost } from "../../adapters/node-host.ts";
import { formatInstant } from "../../base/calendar.ts";
import { given } from "../../base/given.ts";
import { indentedJson } from "../../base/text.ts";
import type { Recording } from "../../journal/recorded-entry.ts";
import { playIn, playScenario } from "../../play/play-scenario.ts";
import type { RecordedScenario } from "../../play/recording/scenario-of-recording.ts";
import {
  MAX_RECORDED_STEPS as maxSteps,
  parseScenario,
} from "../../play/scenario/parse-scenario.ts";
import { createSimulatorCore, type SimulatorCore } from "../../simulator/core.ts";
import { type Choices, resolveOptions } from "../../simulator/simulator-options.ts";
import { readAssumptionFlags } from "../options/assumption-flags.ts";
import type { replayOptions } from "../options/command-options.ts";
import { isTokenGiven, type stillOptions } from "../options/common-options.ts";
import { readLoadFlag } from "../options/load-flag.ts";
import type { FlagsOf } from "../options/option.ts";
import { exitCodes, failureAtTarget, wrongUsage } from "../output/exit.ts";
import { say } from "../output/say.ts";
import { type GivenPublisher, givenPublishers } from "../play/credentials.ts";
import type { HostProcess } from "../processes/host-process.ts";
import { madeOf, recordingIn } from "../record/recording-in.ts";
import { resultOf, resultText } from "./replay-result.ts";

type ReplayFlags = FlagsOf<typeof stillOptions & typeof replayOptions>;

/** @returns 0 if all answers are the same, 1 if one differs or can't be compared. */
export async function replay(file: string, flags: ReplayFlags, host: HostProcess): Promise<number> {
  const credentials = givenPublishers(flags);
  const isService = credentials.length > 0;
  refuseWrongUsage(flags, isService, host);
  const recording = await recordingIn(file);
  const loaded = flags.load === undefined ? undefined : await worldIn(flags.load, flags, recording);
  const { seed, start, publishers, profile, target, controlToken } = flags;
  // readAssumptionFlags has checked them.
  const assumptions = (await readAssumptionFlags(flags)).chosen as Choices;
  resolveOptions({ seed, start, publishers, profile });
  const made = madeOf(file, recording, {
    ...{ expects: "answers", publishers: isService ? "numbered" : "world" },
    keepsTime: isService ? flags.wait === true : flags.clock !== "frozen",
    known: loaded?.publishers.credentials(loaded.publishers.total),
    world: given({
      ...{ seed, profile, assumptions: given(assumptions) },
      start: loaded === undefined ? start : formatInstant(loaded.clock.now()),
      publishers: loaded?.publishers.total ?? publishers,
    }),
  });
  const service = { credentials: withSurfaces(credentials, made), assumptions, wait: true };
  const where = { target, maxSteps, ...(isService ? service : target && { controlToken }) };
  const playing =
    loaded === undefined
      ? playScenario(made.scenario, where)
      : playIn(loaded, parseScenario(made.scenario, { maxSteps }), {});
  const played = await playing.catch((error: unknown) => {
    throw failureAtTarget(error);
  });
  const result = resultOf({ file, flags, recording, made, played });
  if (flags.json === true) say(indentedJson(result), host.stdout);
  say(resultText(result), flags.json === true ? host.stderr : host.stdout);
  return result.same === result.sent ? exitCodes.fine : exitCodes.checkFailed;
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
  const seed = entries.find(({ world }) => world !== undefined)?.world?.seed ?? snapshot.seed;
  if (seed !== snapshot.seed) {
    throw wrongUsage(
      `--load has a world with seed ${JSON.stringify(snapshot.seed)}, but the recorded one has ${JSON.stringify(seed)}. Give a snapshot of the recorded world.`,
    );
  }
  const world = createSimulatorCore({ ...options, clock: "frozen" }, nodeHost);
  world.restore(snapshot);
  world.clock.set({ mode: "frozen" });
  world.faults.clear();
  return world;
}

function refuseWrongUsage(flags: ReplayFlags, isService: boolean, host: HostProcess): void {
  const { target, load, wait } = flags;
  if (target !== undefined && load !== undefined)
    throw wrongUsage("--load is for a world in this process. Leave --target out.");
  if (target === undefined && (isService || isTokenGiven(flags, host)))
    throw wrongUsage(`${isService ? "--api-key" : "--control-token"} needs --target.`);
  if (wait === true && !isService)
    throw wrongUsage("--wait is for a service other than adsim, where time is real.");
}

/** `adsim replay FILE`: plays a recording as a scenario that expects the recorded answers, and shows those that differ. */

import { nodeHost } from "../../adapters/node-host.ts";
import { formatInstant } from "../../base/calendar.ts";
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
  const { seed, start, publishers, profile } = flags;
  const { chosen: assumptions } = await readAssumptionFlags(flags);
  resolveOptions({ seed, start, publishers, profile });
  const made = madeOf(file, recording, {
    ...{ expects: "answers", publishers: isService ? "numbered" : "world" },
    keepsTime: !isService || flags.wait === true,
    known: loaded?.publishers.credentials(loaded.publishers.total),
    world: given({
      ...{ seed, profile, assumptions },
      start: loaded === undefined ? start : formatInstant(loaded.clock.now()),
      publishers: loaded?.publishers.total ?? publishers,
    }),
  });
  const played = await playedWith(made, flags, credentials, loaded);
  const result = resultOf({ file, flags, recording, made, played });
  if (flags.json === true) say(indentedJson(result), host.stdout);
  say(resultText(result), flags.json === true ? host.stderr : host.stdout);
  return result.same === result.sent ? exitCodes.fine : exitCodes.checkFailed;
}

async function playedWith(
  { scenario, publishers }: RecordedScenario,
  flags: ReplayFlags,
  credentials: readonly GivenPublisher[],
  loaded: SimulatorCore | undefined,
): Promise<PlayResult> {
  const { target, controlToken } = flags;
  if (loaded !== undefined) return await playIn(loaded, parseScenario(scenario, { maxSteps }), {});
  // A publisher that was recorded has the surfaces that were recorded.
  const members = credentials.map(({ id, apiKey, surfaces }, place) => {
    const known =
      publishers[place]?.id === id ? publishers[place].surfaces.map(({ id }) => id) : [];
    return { id, apiKey, surfaces: surfaces.length > 0 ? surfaces : known };
  });
  // readAssumptionFlags has checked them.
  const assumptions = (await readAssumptionFlags(flags)).chosen as Choices;
  const service = { credentials: members, assumptions, wait: true };
  try {
    const where = members.length > 0 ? service : { controlToken };
    return await playScenario(scenario, { target, maxSteps, ...where });
  } catch (error) {
    throw failureAtTarget(error);
  }
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

/** `adsim replay FILE`: plays a recording as a scenario that expects the recorded answers, and shows those that differ. */

import { given } from "../../base/plain-data.ts";
import { indentedJson } from "../../base/text.ts";
import { playScenario } from "../../play/play-scenario.ts";
import type { RecordedScenario } from "../../play/recording/scenario-of-recording.ts";
import { withOverrides } from "../../play/scenario/overrides.ts";
import { MAX_RECORDED_STEPS as maxSteps } from "../../play/scenario/parse-scenario.ts";
import { type Choices, resolveOptions } from "../../simulator/simulator-options.ts";
import { readAssumptionFlags } from "../options/assumption-flags.ts";
import type { replayOptions } from "../options/command-options.ts";
import type { Call, FlagsOf } from "../options/option.ts";
import { exitCodes, wrongUsage } from "../output/exit.ts";
import { say } from "../output/say.ts";
import { type GivenPublisher, givenPublishers } from "../play/credentials.ts";
import { madeOf, recordingIn } from "../record/recording-in.ts";
import { resultOf, resultText } from "./replay-result.ts";

type ReplayCall = Call<FlagsOf<typeof replayOptions>>;

/** @returns 0 if all answers are the same, 1 if one differs or can't be compared. */
export async function replay({ words, flags, host }: ReplayCall): Promise<number> {
  const [file = ""] = words;
  const credentials = givenPublishers(flags.publisher);
  const isService = credentials.length > 0;
  if (isService && flags.target === undefined) throw wrongUsage("--api-key needs --target.");
  if (flags.wait === true && !isService)
    throw wrongUsage("--wait is for a service other than adsim, where time is real.");
  const { seed, start, publishers, profile, target, controlToken } = flags;
  resolveOptions({ seed, start, publishers, profile });
  // readAssumptionFlags has checked them.
  const assumptions = (await readAssumptionFlags(flags)).chosen as Choices;
  const world = given({ seed, publishers, profile, assumptions });
  const recording = await recordingIn(file);
  const made = madeOf(file, recording, {
    ...{ expects: "answers", publishers: isService ? "numbered" : "world", world },
    keepsTime: !isService || flags.wait === true,
  });
  const played = isService
    ? await playScenario(made.scenario, {
        ...{ target, maxSteps, assumptions, wait: true },
        credentials: credentials.map(withSurfacesOf(made)),
      })
    : await playScenario(withOverrides(made.scenario, { ...world, start }), {
        ...{ target, maxSteps, controlToken: target && controlToken },
      });
  const result = resultOf(recording, made, played, flags.differences);
  if (flags.json === true) say(indentedJson(result), host.stdout);
  say(resultText(result, target), flags.json === true ? host.stderr : host.stdout);
  return result.same === result.sent ? exitCodes.fine : exitCodes.checkFailed;
}

/** A publisher that was recorded has the surfaces that were recorded, in that order. */
const withSurfacesOf =
  ({ publishers }: RecordedScenario) =>
  (given: GivenPublisher, place: number): GivenPublisher => {
    const recorded = publishers[place];
    if (given.surfaces.length > 0 || recorded?.id !== given.id) return given;
    return { ...given, surfaces: recorded.surfaces.map(({ id }) => id) };
  };

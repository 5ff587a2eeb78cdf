/** `adsim replay FILE`: plays a recording as a scenario that expects the recorded answers, and shows those that differ. */

import { counted } from "../../base/counted.ts";
import { given } from "../../base/plain-data.ts";
import { indentedJson, printable } from "../../base/text.ts";
import type { RecordedEntry, Recording } from "../../journal/recorded-entry.ts";
import { playScenario } from "../../play/play-scenario.ts";
import type { PlayResult, StepResult } from "../../play/player/result.ts";
import type { RecordedScenario } from "../../play/recording/scenario-of-recording.ts";
import {
  MAX_RECORDED_STEPS as maxSteps,
  withOverrides,
} from "../../play/scenario/parse-scenario.ts";
import { type Choices, resolveOptions } from "../../simulator/simulator-options.ts";
import { readAssumptionFlags } from "../options/assumption-flags.ts";
import {
  type GivenPublisher,
  givenPublishers,
  type replayOptions,
} from "../options/command-options.ts";
import type { Call, FlagsOf } from "../options/option.ts";
import { exitCodes, wrongUsage } from "../output/exit.ts";
import { say, sayWait } from "../output/say.ts";
import { leftOutGroups, leftOutInWords, madeOf, recordingIn } from "../record/record.ts";

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
        onWait: (ms) => sayWait(ms, host.stderr),
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

/** `most`: how many differences it shows. */
function resultOf(recording: Recording, made: RecordedScenario, played: PlayResult, most: number) {
  const steps = played.steps.flatMap((step) => {
    const entry = made.entries.get(step.path);
    return entry === undefined ? [] : [{ step, entry }];
  });
  const having = (results: RegExp) => steps.filter(({ step }) => results.test(step.result));
  const [different, undecided] = [having(/failed/), having(/undecided|skipped/)];
  // Their requests have ids from elsewhere.
  const notCompared = having(/done/).length;
  return {
    form: recording.form,
    requests: recording.entries.length,
    sent: steps.length,
    same: steps.length - different.length - undecided.length - notCompared,
    different: different.length,
    // For example because an earlier request had another answer.
    undecided: undecided.length,
    leftOut: leftOutGroups(made.leftOut),
    differences: [...different, ...undecided]
      .slice(0, most)
      .map(({ entry, step }) => differenceOf(entry, step)),
    notes: notesOn(recording, notCompared),
  };
}

/** What limits the comparison. */
function notesOn({ entries, byAdsim }: Recording, notCompared: number): readonly string[] {
  const notes: string[] = [];
  const missing = byAdsim ? (entries.at(-1)?.sequence ?? 0) - entries.length : 0;
  if (notCompared > 0)
    notes.push(
      `${counted(notCompared, "answer")} not compared: the requests have ids from elsewhere`,
    );
  if (missing > 0)
    notes.push(`the recording lacks ${missing} of the world's requests: what they did is missing`);
  return notes;
}

/** What differs, or why it can't be compared. */
function differenceOf({ place, sequence, request }: RecordedEntry, step: StepResult) {
  const failed = step.checks.filter(({ result }) => result === "failed");
  // Another status comes with another body.
  const status = failed.filter(({ about }) => about.endsWith(" status"));
  const parts = (status.length > 0 ? status : failed).map(({ about, expected, found }) => {
    return { about: about.replace(/^\S+ /, ""), recorded: expected, now: found };
  });
  const { method, path } = request;
  return { entry: place, sequence, method, path, parts, why: step.exchange?.why ?? step.why };
}

function resultText(result: ReturnType<typeof resultOf>, target: string | undefined): string {
  const { sent, same, different, undecided, leftOut, differences, notes } = result;
  const where = target === undefined ? "in process" : `to ${target}`;
  const others = undecided === 0 ? "" : `, ${undecided} can't be compared`;
  const lines = [
    `adsim: ${counted(sent, "request")} sent again ${where}: ${counted(same, "answer")} the same, ${different} different${others}`,
    ...(leftOut.length > 0 ? [`  left out: ${leftOutInWords(leftOut)}`] : []),
    ...differences.flatMap(({ entry, method, path, parts, why }) => [
      "",
      `${entry}: ${method} ${path}`,
      ...parts.map(({ about, recorded, now }) => `  ${about}: recorded ${recorded}, now ${now}`),
      ...(why === undefined ? [] : [`  ${why}`]),
    ]),
  ];
  const more = different + undecided - differences.length;
  if (more > 0)
    lines.push("", `${more} more; --differences ${different + undecided} shows them all.`);
  if (notes.length > 0) lines.push("", ...notes.map((note) => `Note: ${note}.`));
  return `${lines.map(printable).join("\n")}\n`;
}

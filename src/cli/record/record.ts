/** `adsim record FILE`: turns a recording into a scenario: a HAR, a journal as NDJSON, or a trace in CSV. */

import { InputError } from "../../base/input.ts";
import { indentedJson } from "../../base/text.ts";
import type { Recording } from "../../journal/recorded-entry.ts";
import {
  type RecordedScenario,
  type RecordingOptions,
  scenarioOfRecording,
} from "../../play/recording/scenario-of-recording.ts";
import { MAX_RECORDED_STEPS, parseScenario } from "../../play/scenario/parse-scenario.ts";
import { couldNotRun } from "../output/exit.ts";
import { checkOut, writeOut } from "../output/reports.ts";
import { say } from "../output/say.ts";
import type { HostProcess } from "../processes/host-process.ts";
import { leftOutGroups, leftOutInWords } from "./left-out.ts";
import { nameFrom, recordingIn } from "./recording-in.ts";

export interface RecordFlags {
  readonly name?: string;
  readonly out?: string;
  readonly signUp?: boolean;
}

/** @throws CommandFailure for a file that can't be read or written, or that has no request to the API. */
export async function record(file: string, flags: RecordFlags, host: HostProcess): Promise<void> {
  const { out, name = nameFrom(file), signUp } = flags;
  const written = out === undefined ? undefined : { option: `--out ${out}`, file: out };
  if (written !== undefined) await checkOut(written, [file]);
  const recording = await recordingIn(file);
  const isElsewhere = !recording.byAdsim && signUp !== true;
  const made = madeOf(file, recording, {
    ...{ name, expects: "statuses", publishers: isElsewhere ? "numbered" : "world" },
  });
  const text = indentedJson(made.scenario);
  if (written === undefined) say(text, host.stdout);
  else await writeOut({ ...written, content: text }, host.stderr);
  const leftOut = leftOutInWords(leftOutGroups(made.leftOut));
  if (leftOut !== "") say(`adsim: left out: ${leftOut}\n`, host.stderr);
  if (isElsewhere) say(howToPlay(made), host.stderr);
}

/** @throws CommandFailure that says why the recording can't become a scenario. */
export function madeOf(
  file: string,
  recording: Recording,
  options: RecordingOptions,
): RecordedScenario {
  try {
    const made = scenarioOfRecording(recording, options);
    const { length } = made.scenario.steps;
    if (made.entries.size === 0) {
      const leftOut = leftOutInWords(leftOutGroups(made.leftOut));
      throw couldNotRun(`${file} has no request for a scenario: ${leftOut}.`);
    }
    if (length > MAX_RECORDED_STEPS) {
      throw couldNotRun(
        `${file} makes ${length} steps, and a scenario may have at most ${MAX_RECORDED_STEPS}. Give a part of it.`,
      );
    }
    parseScenario(made.scenario, { maxSteps: MAX_RECORDED_STEPS });
    return made;
  } catch (error) {
    if (!(error instanceof InputError) || error.field === "name") throw error;
    throw couldNotRun(`${file} can't become a scenario: ${error.message}`);
  }
}

/** The publishers of another service, which it must supply, with their surfaces in the order of the references. */
function howToPlay({ publishers }: RecordedScenario): string {
  const words = publishers.map(({ id, surfaces }) => {
    return ["--api-key KEY --publisher", id, ...surfaces.map(({ id }) => `--surface ${id}`)].join(
      " ",
    );
  });
  const shown = words.length > 3 ? [...words.slice(0, 3), "…"] : words;
  return `adsim: play it at the recorded service, with these or other publishers: --target URL ${shown.join(" ")}
For a world of adsim, where they have to sign up, record again with --sign-up.
`;
}

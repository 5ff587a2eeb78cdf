/** Reads a recording from a file of the user's, and makes a scenario of it. */

import { basename, extname } from "node:path";
import { readLines } from "../../adapters/files/read-lines.ts";
import { parseInstant } from "../../base/calendar.ts";
import { describeError } from "../../base/file-error.ts";
import { InputError } from "../../base/input.ts";
import { printable } from "../../base/text.ts";
import { readRecording } from "../../journal/read-recording.ts";
import type { RecordedEntry, Recording } from "../../journal/recorded-entry.ts";
import {
  type RecordedScenario,
  type RecordingOptions,
  scenarioOfRecording,
} from "../../play/recording/scenario-of-recording.ts";
import { MAX_RECORDED_STEPS, parseScenario } from "../../play/scenario/parse-scenario.ts";
import { couldNotRun } from "../output/exit.ts";
import { leftOutGroups, leftOutInWords } from "./left-out.ts";
import { readCsv } from "./read-csv.ts";

/** @throws CommandFailure that says what is wrong with the file. */
export async function recordingIn(file: string): Promise<Recording> {
  const lines: string[] = [];
  try {
    for await (const line of readLines(file)) lines.push(line);
  } catch (error) {
    throw couldNotRun(
      `${file}: can't be read: ${describeError(error)}. Give a journal as NDJSON, a HAR file or a CSV trace.`,
    );
  }
  const first = lines.find((line) => line.trim() !== "")?.trim() ?? "";
  const isJson = /^[[{]/.test(first) || first === "";
  try {
    return inTimeOrder(isJson ? readRecording(lines) : readCsv(lines.join("\n")));
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const colon = error.field === "" ? "" : ":";
    throw couldNotRun(`${file}${colon} ${printable(error.message)}`);
  }
}

/** One without a time has that of the one before it. Ours is in order. */
function inTimeOrder(recording: Recording): Recording {
  if (recording.byAdsim) return recording;
  let at: string | undefined;
  const entries = recording.entries.map((entry) => {
    at = entry.at ?? at;
    return { ...entry, at };
  });
  const timeOf = (entry: RecordedEntry): number => parseInstant(entry.at ?? "") ?? 0;
  return { ...recording, entries: entries.sort((one, other) => timeOf(one) - timeOf(other)) };
}

/** @throws CommandFailure that says why the recording can't become a scenario. */
export function madeOf(
  file: string,
  recording: Recording,
  options: Omit<RecordingOptions, "name">,
  name = nameFrom(file),
): RecordedScenario {
  try {
    const made = scenarioOfRecording(recording, { ...options, name });
    if (made.entries.size === 0) {
      const leftOut = leftOutInWords(leftOutGroups(made.leftOut));
      throw couldNotRun(`${file} has no request for a scenario: ${leftOut}.`);
    }
    parseScenario(made.scenario, { maxSteps: MAX_RECORDED_STEPS });
    return made;
  } catch (error) {
    if (!(error instanceof InputError) || error.field === "name") throw error;
    throw couldNotRun(`${file} can't become a scenario: ${error.message}`);
  }
}

/** The file's name as the name of a scenario: letters, digits and hyphens. */
function nameFrom(file: string): string {
  const name = basename(file, extname(file)).toLowerCase();
  const words = name.match(/[a-z0-9]+/g) ?? ["recorded"];
  return words.join("-").slice(0, 64).replace(/-$/, "");
}

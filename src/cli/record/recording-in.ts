/** Reads a recording from a file of the user's, makes a scenario of it, and says in words which requests were left out, and why. */

import { basename, extname } from "node:path";
import { readLines } from "../../adapters/files/read-lines.ts";
import { parseInstant } from "../../base/calendar.ts";
import { formatList } from "../../base/did-you-mean.ts";
import { describeError } from "../../base/file-error.ts";
import { groupedBy } from "../../base/grouped-by.ts";
import { InputError } from "../../base/input.ts";
import { oneLine, printable } from "../../base/text.ts";
import { readRecording } from "../../journal/read-recording.ts";
import type { LeftOut, RecordedEntry, Recording } from "../../journal/recorded-entry.ts";
import { plural } from "../../play/measure/quantities.ts";
import {
  type RecordedScenario,
  type RecordingOptions,
  scenarioOfRecording,
} from "../../play/recording/scenario-of-recording.ts";
import { MAX_RECORDED_STEPS, parseScenario } from "../../play/scenario/parse-scenario.ts";
import { couldNotRun } from "../output/exit.ts";
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

const reasons: Readonly<Record<LeftOut, string>> = {
  "kept-from-service": "a fault rule kept them from reaching the service",
  "no-response": "no response is recorded",
  control: "they are for the control API",
  "not-the-api": "they didn't go to the API",
  "other-host": "most requests to the API went to another address",
  "no-operation": "the API has no operation with their method and path",
  incomplete: "a required parameter isn't recorded",
  unsendable: "a scenario can't send them",
  "other-world": "a world with another seed answered them",
};

export function leftOutGroups(entries: readonly RecordedEntry[]) {
  const groups = groupedBy(entries, ({ leftOut }) => leftOut);
  return Array.from(groups, ([why, group]) => {
    const named = group.map(({ place, request: { method, path } }) => {
      return `${place} ${oneLine(method, 20)} ${oneLine(path, 100)}`;
    });
    return { reason: reasons[why], count: group.length, which: formatList(named) };
  });
}

/** "2 requests, because no response is recorded (line 3 GET /v1/click, …); …"; empty if there are none. */
export function leftOutInWords(groups: ReturnType<typeof leftOutGroups>): string {
  const words = groups.map(({ reason, count, which }) => {
    return `${plural(count, "request")}, because ${reason} (${which})`;
  });
  return printable(words.join("; "));
}

/** Reads a recording from a file of the user's, and finds out what kind it is. */

import { basename, extname } from "node:path";
import { readLines } from "../../adapters/files/read-lines.ts";
import { parseInstant } from "../../base/calendar.ts";
import { describeError } from "../../base/file-error.ts";
import { InputError } from "../../base/input.ts";
import { printable } from "../../base/text.ts";
import { readRecording } from "../../journal/read-recording.ts";
import type { Recording } from "../../journal/recorded-entry.ts";
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
  try {
    const isJson = /^[[{]/.test(first) || first === "";
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
  const timed = recording.entries.map((entry) => {
    at = entry.at ?? at;
    return { ...entry, at };
  });
  const msOf = (one: (typeof timed)[number]): number => parseInstant(one.at ?? "") ?? 0;
  return { ...recording, entries: timed.sort((one, other) => msOf(one) - msOf(other)) };
}

/** The file's name as the name of a scenario: letters, digits and hyphens. */
export function nameFrom(file: string): string {
  const words = basename(file, extname(file))
    .toLowerCase()
    .match(/[a-z0-9]+/g) ?? ["recorded"];
  return words.join("-").slice(0, 64).replace(/-$/, "");
}

/** Reads a recording from a file of the user's. */

import { readLines } from "../../adapters/files/read-lines.ts";
import { parseInstant } from "../../base/calendar.ts";
import { describeError } from "../../base/file-error.ts";
import { InputError } from "../../base/input.ts";
import { printable } from "../../base/text.ts";
import type { RecordedEntry, Recording } from "../../journal/recorded-entry.ts";
import { couldNotRun } from "../output/exit.ts";

/**
 * @param read Reads the file's lines. @param wanted What the file may be.
 * @throws CommandFailure that says what is wrong with the file.
 */
export async function recordingIn(
  file: string,
  read: (lines: readonly string[]) => Recording,
  wanted: string,
): Promise<Recording> {
  const lines: string[] = [];
  try {
    for await (const line of readLines(file)) lines.push(line);
  } catch (error) {
    throw couldNotRun(`${file}: can't be read: ${describeError(error)}. Give ${wanted}.`);
  }
  try {
    return inTimeOrder(read(lines));
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
  return { ...recording, entries: entries.sort((one, other) => msOf(one) - msOf(other)) };
}

/** 0 without a time. */
export function msOf({ at = "" }: Pick<RecordedEntry, "at">): number {
  return parseInstant(at) ?? 0;
}

/** Reads a recording from a file: a journal as NDJSON or JSON, or a HAR. Recognises the format by the content. */

import { InputError, isPlainObject } from "../base/input.ts";
import { jsonIn, parseJson } from "../base/parse-json.ts";
import { journalExchange } from "./read-entry.ts";
import { harExchanges } from "./read-har.ts";
import type { Recording } from "./recorded-exchange.ts";

/** The error for a file that isn't a recording or is damaged. The message says where and what to do. */
export class RecordingError extends Error {
  override readonly name = "RecordingError";
}

/** Reads a recording from the lines of its file. @throws RecordingError */
export function readRecording(lines: readonly string[]): Recording {
  const numbered = lines
    .map((text, index) => ({ text, line: index + 1, place: `line ${index + 1}` }))
    .filter(({ text }) => text.trim() !== "");
  const [first] = numbered;
  if (first === undefined) throw new RecordingError("is empty: it has no request");
  const head = jsonIn(first.text);
  const inLines = head !== undefined && (numbered.length > 1 || isEntry(head));
  const recording = inLines
    ? fromEntries(
        numbered.map(({ text, line, place }) => ({ entry: parseLine(text, line), place })),
      )
    : fromDocument(lines);
  if (recording.exchanges.length === 0) throw new RecordingError("has no request");
  return sortBySequence(recording);
}

function parseLine(text: string, line: number): unknown {
  const fail = (mistake: string): Error =>
    new RecordingError(`is damaged: line ${line} ${mistake}. Export it again`);
  return parseJson(text, fail);
}

function fromDocument(lines: readonly string[]): Recording {
  const fail = (mistake: string): Error =>
    new RecordingError(
      `is damaged, or neither NDJSON nor HAR: it ${mistake}. Use a journal as NDJSON, or a HAR`,
    );
  const value = parseJson(lines.join("\n"), fail);
  if (isPlainObject(value) && "log" in value) {
    const exchanges = withPlace("", () => harExchanges(value));
    const byAdsim = exchanges.some(({ sequence }) => sequence !== undefined);
    return { form: "HAR", byAdsim, exchanges };
  }
  // The response of GET /_sim/journal, or journal.entries() written by JSON.stringify.
  const list = isPlainObject(value) && "entries" in value ? value.entries : value;
  if (Array.isArray(list)) {
    return fromEntries(list.map((entry, index) => ({ entry, place: `entry ${index + 1}` })));
  }
  const isSnapshot = isPlainObject(value) && "format" in value && value.format === "adsim-snapshot";
  throw new RecordingError(
    isSnapshot
      ? "is a snapshot, not a recording. Pass it with --load, and a journal or a HAR as FILE"
      : "is JSON, but neither a journal's entries nor a HAR",
  );
}

function fromEntries(
  entries: readonly { readonly entry: unknown; readonly place: string }[],
): Recording {
  const exchanges = entries.map(({ entry, place }) =>
    withPlace(place, () => journalExchange(entry, place)),
  );
  return { form: "journal", byAdsim: true, exchanges };
}

/** Turns an InputError into a RecordingError that names the place and the field. */
function withPlace<Result>(place: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const where = place === "" ? "" : `${place}: `;
    throw new RecordingError(`can't be replayed: ${where}${error.message.replace(/\.$/, "")}`);
  }
}

function isEntry(value: unknown): boolean {
  return isPlainObject(value) && "request" in value && "response" in value;
}

/** Sorts by the order in which the world answered. @throws RecordingError if two requests have the same number. */
function sortBySequence(recording: Recording): Recording {
  if (!recording.exchanges.every(({ sequence }) => sequence !== undefined)) return recording;
  const exchanges = [...recording.exchanges].sort(
    (left, right) => (left.sequence ?? 0) - (right.sequence ?? 0),
  );
  for (const [index, { sequence, place }] of exchanges.entries()) {
    const before = exchanges[index - 1];
    if (before?.sequence !== sequence) continue;
    throw new RecordingError(
      `has request ${sequence} twice, in ${before?.place} and in ${place}. Replay one recording at a time, with each request once`,
    );
  }
  return { ...recording, exchanges };
}

/** Reads a recording from a file: a journal as NDJSON or JSON, or a HAR. Recognises the format by the content. */

import { InputError } from "../base/input.ts";
import { jsonIn, memberOf, parseJson } from "../base/parse-json.ts";
import { recordedEntry } from "./read-entry.ts";
import { harEntries } from "./read-har.ts";
import type { RecordedEntry, Recording } from "./recorded-entry.ts";

/** Reads a recording from the lines of its file. @throws InputError that names the place. */
export function readRecording(lines: readonly string[]): Recording {
  const numbered = lines
    .map((text, index) => ({ text, place: `line ${index + 1}` }))
    .filter(({ text }) => text.trim() !== "");
  const [first] = numbered;
  if (first === undefined) throw new InputError("", "is empty: it has no request");
  if (memberOf(jsonIn(first.text), "request") !== undefined)
    return journal(numbered.map(({ text, place }) => recordedEntry(parse(text, place), place)));
  const value = parse(lines.join("\n"), "it");
  const log = memberOf(value, "log");
  if (log !== undefined) {
    const entries = harEntries(log);
    const byAdsim = entries.some(({ sequence }) => sequence !== undefined);
    return inOrder({ form: "HAR", byAdsim, entries });
  }
  // journal.entries() as JSON, or what GET /_sim/journal answers.
  const list = Array.isArray(value) ? value : memberOf(value, "entries");
  if (Array.isArray(list))
    return journal(list.map((entry, index) => recordedEntry(entry, `entry ${index + 1}`)));
  throw new InputError("", "is JSON, but neither a journal's entries nor a HAR");
}

function parse(text: string, what: string): unknown {
  const fail = (mistake: string): InputError =>
    new InputError("", `is damaged, or neither NDJSON nor HAR: ${what} ${mistake}`);
  return parseJson(text, fail);
}

function journal(entries: readonly RecordedEntry[]): Recording {
  return inOrder({ form: "journal", byAdsim: true, entries });
}

/** In the order in which the world answered. @throws InputError if two requests have the same number. */
function inOrder(recording: Recording): Recording {
  if (recording.entries.length === 0) throw new InputError("", "has no request");
  const entries = recording.entries.toSorted(
    (one, two) => (one.sequence ?? 0) - (two.sequence ?? 0),
  );
  const again = entries.find(
    ({ sequence }, index) => sequence !== undefined && sequence === entries[index - 1]?.sequence,
  );
  if (again === undefined) return { ...recording, entries };
  throw new InputError(again.place, `has request ${again.sequence} again. Give one recording only`);
}

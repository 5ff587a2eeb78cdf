/** A recording as it is replayed: requests in their order, each with the answer that it got. Read from NDJSON or HAR. */

import { InputError } from "../../base/input.ts";
import { whyNotJson } from "../../base/not-json.ts";
import type { Profile } from "../../world/publishers/profiles.ts";
import { harExchanges } from "./har.ts";
import { journalExchange } from "./journal-entry.ts";

export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

export interface RecordedResponse {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined where it wasn't recorded. */
  readonly body: string | Uint8Array | undefined;
}

/** What a world was made from when it answered. */
export interface RecordedWorld {
  readonly seed: string;
  readonly start: string;
  readonly publishers: number;
  readonly profile: Profile;
  /** Those that differ from the defaults, or all. */
  readonly assumptions: Readonly<Record<string, string>>;
}

/** Why a request isn't sent again. */
export type SkipReason =
  /** A fault rule kept it from the service. */
  | "kept-from-service"
  | "no-response-recorded"
  /** It went to the control API, which a replay doesn't use on anybody's behalf. */
  | "control"
  /** It went elsewhere: a browser records all that a page loads. */
  | "not-the-api"
  /** HTTP can't carry it; in process it was handled. */
  | "unsendable";

/** A request with the answer that the service gave to it. */
export interface RecordedExchange {
  /** Where in the file: `line 3`, `entry 3`. */
  readonly place: string;
  /** Counts the requests of the world; undefined in the recording of another tool. */
  readonly sequence: number | undefined;
  /** When, in milliseconds since 1970. */
  readonly atMs: number | undefined;
  /** Whose key was sent, where it was a valid one. */
  readonly publisher: string | undefined;
  /** Whether the spelling of `Bearer` shaped the answer. */
  readonly oddScheme: boolean;
  readonly request: RecordedRequest;
  readonly response: RecordedResponse;
  readonly skip: SkipReason | undefined;
  readonly world: RecordedWorld | undefined;
}

export interface Recording {
  readonly form: "journal" | "HAR";
  /** Whether adsim recorded it, so that sequence and time are its world's. */
  readonly byAdsim: boolean;
  readonly exchanges: readonly RecordedExchange[];
}

/** A file that is no recording, or a broken one. The message says where and what to do. */
export class RecordingError extends Error {
  override readonly name = "RecordingError";
}

/** A recording out of the lines of its file; what it is, its content tells. @throws RecordingError. */
export function readRecording(lines: readonly string[]): Recording {
  const numbered = lines
    .map((text, index) => ({ text, place: `line ${index + 1}` }))
    .filter(({ text }) => text.trim() !== "");
  const [first] = numbered;
  if (first === undefined) throw new RecordingError("is empty: there is no request in it");
  const head = parsed(first.text);
  const inLines = head.kind === "value" && (numbered.length > 1 || isEntry(head.value));
  const recording = inLines
    ? fromEntries(numbered.map(({ text, place }) => ({ entry: parsedLine(text, place), place })))
    : fromDocument(lines);
  if (recording.exchanges.length === 0) throw new RecordingError("holds no request");
  return inOrder(recording);
}

type Parsed =
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "broken"; readonly why: string };

function parsed(text: string): Parsed {
  try {
    return { kind: "value", value: JSON.parse(text) };
  } catch (error) {
    return { kind: "broken", why: whyNotJson(error) };
  }
}

function parsedLine(text: string, place: string): unknown {
  const line = parsed(text);
  if (line.kind === "value") return line.value;
  throw new RecordingError(`is broken: ${place} ${line.why}. Export it again`);
}

function fromDocument(lines: readonly string[]): Recording {
  const document = parsed(lines.join("\n"));
  if (document.kind === "broken") {
    throw new RecordingError(
      `is neither NDJSON nor HAR, or damaged: it ${document.why}. Give a journal as NDJSON, or a HAR`,
    );
  }
  const { value } = document;
  if (isObject(value) && "log" in value) {
    const exchanges = named("", () => harExchanges(value));
    const byAdsim = exchanges.some(({ sequence }) => sequence !== undefined);
    return { form: "HAR", byAdsim, exchanges };
  }
  // As GET /_sim/journal answers, and as JSON.stringify writes what journal.entries() gives.
  const list = isObject(value) && "entries" in value ? value.entries : value;
  if (Array.isArray(list)) {
    return fromEntries(list.map((entry, index) => ({ entry, place: `entry ${index + 1}` })));
  }
  const isSnapshot = isObject(value) && "format" in value && value.format === "adsim-snapshot";
  throw new RecordingError(
    isSnapshot
      ? "is a snapshot, not a recording. Give it with --load, and a journal or a HAR as FILE"
      : "is JSON, but neither a journal's entries nor a HAR",
  );
}

function fromEntries(
  entries: readonly { readonly entry: unknown; readonly place: string }[],
): Recording {
  const exchanges = entries.map(({ entry, place }) =>
    named(place, () => journalExchange(entry, place)),
  );
  return { form: "journal", byAdsim: true, exchanges };
}

/** @throws RecordingError in the place of an InputError, with the place and the field. */
function named<Result>(place: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const where = place === "" ? "" : `${place}: `;
    throw new RecordingError(`can't be replayed: ${where}${error.message.replace(/\.$/, "")}`);
  }
}

function isEntry(value: unknown): boolean {
  return isObject(value) && "request" in value && "response" in value;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** In the order in which the world answered. @throws RecordingError for two requests of one number. */
function inOrder(recording: Recording): Recording {
  if (!recording.exchanges.every(({ sequence }) => sequence !== undefined)) return recording;
  const exchanges = [...recording.exchanges].sort(
    (left, right) => (left.sequence ?? 0) - (right.sequence ?? 0),
  );
  for (const [index, { sequence, place }] of exchanges.entries()) {
    const before = exchanges[index - 1];
    if (before?.sequence !== sequence) continue;
    throw new RecordingError(
      `holds request ${sequence} twice, as ${before?.place} and as ${place}. Replay one recording at a time, each request once`,
    );
  }
  return { ...recording, exchanges };
}

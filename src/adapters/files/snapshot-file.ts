/**
 * Saves a world's state to a file and loads it. Loading is strict: a damaged or foreign file changes nothing. API keys derive
 * from the seed in the file.
 */

import { describeError } from "../../base/file-error.ts";
import { InputError } from "../../base/input.ts";
import { parseJson } from "../../base/parse-json.ts";
import type { SimulatorCore } from "../../simulator/core.ts";
import { parseSnapshot, type Snapshot } from "../../world/accounts/snapshot.ts";
import { readLines } from "./read-lines.ts";
import { checkWritable, writeWholeFile } from "./whole-file.ts";

/** A snapshot file can't be read or written. The message names it, says why and what to do. Nothing was changed. */
export class SnapshotFileError extends Error {
  override readonly name = "SnapshotFileError";
  readonly path: string;

  constructor(path: string, what: string, cause: unknown) {
    super(`${path}: ${what}`, { cause });
    this.path = path;
  }
}

/**
 * Saves the current state, completely or not at all: an existing file stays as it is until the new one is complete on disk. A
 * new file is readable for its owner only; an existing one keeps its mode.
 *
 * @returns whether it replaced a file.
 * @throws (as a rejection) InputError if a fault rule is a function; SnapshotFileError.
 */
export async function saveSnapshot(
  sim: Pick<SimulatorCore, "snapshot">,
  path: string,
): Promise<{ readonly replaced: boolean }> {
  // Before any await, so that it is the state at the time of the call.
  const snapshot = snapshotOf(sim, path);
  try {
    const written = await writeWholeFile(path, textOf(snapshot), OWNER_ONLY);
    return { replaced: written === "replaced" };
  } catch (error) {
    throw saveError(path, error);
  }
}

/**
 * Restores the state from a file, as `restore` does.
 *
 * @throws SnapshotFileError (as a rejection) if the file is missing, damaged or not a snapshot. Nothing changes then.
 */
export async function loadSnapshot(
  sim: Pick<SimulatorCore, "restore">,
  path: string,
): Promise<void> {
  const content = await contentOf(path);
  // The simulator checks every field before it changes anything.
  loading(path, () => sim.restore(content as Snapshot));
}

/** The snapshot in a file, checked as far as possible without a world. @throws SnapshotFileError (as a rejection). */
export async function readSnapshot(path: string): Promise<Snapshot> {
  const content = await contentOf(path);
  return loading(path, () => parseSnapshot(content));
}

/** Checks that a snapshot can be saved there. @throws SnapshotFileError (as a rejection). */
export async function checkSavable(path: string): Promise<void> {
  try {
    await checkWritable(path);
  } catch (error) {
    throw saveError(path, error);
  }
}

const OWNER_ONLY = 0o600;

function snapshotOf(sim: Pick<SimulatorCore, "snapshot">, path: string): Snapshot {
  try {
    return sim.snapshot();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const what =
      "can't be saved: one publisher has more events than fit into a string of this Node. Save earlier, with fewer events.";
    throw new SnapshotFileError(path, what, error);
  }
}

/** A line for the world, then one per account, because together they can exceed the longest string. */
function* textOf({ accounts, ...world }: Snapshot): Generator<string> {
  let text = `${JSON.stringify(world).slice(0, -1)}${HEAD_END}\n`;
  for (const [index, account] of accounts.entries()) {
    text += `${JSON.stringify(account)}${index === accounts.length - 1 ? "" : ","}\n`;
    if (text.length < ENOUGH_CHARACTERS) continue;
    yield text;
    text = "";
  }
  yield `${text}]}\n`;
}

const HEAD_END = ',"accounts":[';
/** Text is written in pieces of at least this length. */
const ENOUGH_CHARACTERS = 1 << 20;

function saveError(path: string, error: unknown): SnapshotFileError {
  const what = `can't be saved: ${describeError(error)}. Choose a file in a writable folder.`;
  return new SnapshotFileError(path, what, error);
}

/** A file's JSON. @throws SnapshotFileError if it isn't JSON. */
async function contentOf(path: string): Promise<unknown> {
  const lines: string[] = [];
  try {
    for await (const line of readLines(path)) lines.push(line);
  } catch (error) {
    const what = `can't be read: ${describeError(error)}. Give a file that --save-on-exit or saveSnapshot wrote.`;
    throw new SnapshotFileError(path, what, error);
  }
  return loading(path, () => {
    const content = lines[0]?.trimEnd().endsWith(HEAD_END)
      ? parseByAccount(lines)
      : parseWhole(lines);
    refuseForeign(content);
    return content;
  });
}

/** Parses the form that `saveSnapshot` writes. */
function parseByAccount([head = "", ...rest]: readonly string[]): unknown {
  const accounts: unknown[] = [];
  for (const [index, line] of rest.entries()) {
    const text = line.trimEnd();
    if (text === "]}") return { ...(parseLine(`${head}]}`, 1) as object), accounts };
    accounts.push(parseLine(text.endsWith(",") ? text.slice(0, -1) : text, index + 2));
  }
  throw new Error(`it is incomplete: it ends after line ${rest.length + 1}`);
}

function parseLine(json: string, line: number): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw new Error(`it is damaged or incomplete: line ${line} is not JSON`);
  }
}

/** Parses any other form, such as from `GET /_sim/snapshot`. */
function parseWhole(lines: readonly string[]): unknown {
  if (lines.every((line) => line.trim() === "")) throw new Error("it is empty");
  return parseJson(lines.join("\n"), (mistake) => new Error(`it ${mistake}`));
}

/** Names the kind of a foreign file, which helps more than naming a missing field. */
function refuseForeign(content: unknown): void {
  const members = typeof content === "object" && content !== null ? content : {};
  if ("format" in members && members.format === "adsim-snapshot") return;
  const has = (name: string): boolean => Object.hasOwn(members, name);
  const isJournal = has("request") || has("entries");
  const kind = has("log")
    ? "probably a HAR file"
    : isJournal
      ? "probably a journal"
      : "some other JSON";
  throw new Error(`it is not a snapshot of adsim but ${kind}`);
}

/** @throws SnapshotFileError for any error of `load`. */
function loading<Result>(path: string, load: () => Result): Result {
  try {
    return load();
  } catch (error) {
    const why =
      error instanceof InputError ? error.message.replace(/\.$/, "") : describeError(error);
    const what = `can't be loaded: ${why}. Nothing was changed. Give a file that this version of adsim saved.`;
    throw new SnapshotFileError(path, what, error);
  }
}

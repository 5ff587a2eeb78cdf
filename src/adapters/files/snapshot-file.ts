/**
 * Saves a world's state to a file and loads it. Loading is strict: a damaged or foreign file changes nothing. API keys derive
 * from the seed in the file.
 */

import { describeError } from "../../base/file-error.ts";
import { InputError } from "../../base/input.ts";
import { parseJson } from "../../base/parse-json.ts";
import type { SimulatorCore } from "../../simulator/core.ts";
import { parseSnapshot, type Snapshot } from "../../world/accounts/snapshot.ts";
import { checkWritable, readText, writeWholeFile } from "./whole-file.ts";

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
  try {
    // Before any await, so that it is the state at the time of the call.
    const text = `${JSON.stringify(sim.snapshot())}\n`;
    const written = await writeWholeFile(path, text, OWNER_ONLY);
    return { replaced: written === "replaced" };
  } catch (error) {
    throw error instanceof InputError ? error : saveError(path, error);
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

function saveError(path: string, error: unknown): SnapshotFileError {
  const why =
    error instanceof RangeError
      ? "it is longer than the longest string of this Node. Save earlier, with fewer events"
      : `${describeError(error)}. Choose a file in a writable folder`;
  return new SnapshotFileError(path, `can't be saved: ${why}.`, error);
}

/** A file's JSON. @throws SnapshotFileError if it isn't that of a snapshot. */
async function contentOf(path: string): Promise<unknown> {
  const text = await readText(path).catch((error: unknown) => {
    const what = `can't be read: ${describeError(error)}. Give a file that --save-on-exit or saveSnapshot wrote.`;
    throw new SnapshotFileError(path, what, error);
  });
  return loading(path, () => {
    if (text.trim() === "") throw new Error("it is empty");
    const content = parseJson(
      text,
      (mistake) => new Error(`it is damaged or incomplete: it ${mistake}`),
    );
    refuseForeign(content);
    return content;
  });
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

/**
 * Saves a world's state to a file and loads it. Loading is strict: a damaged or foreign file changes nothing. API keys derive
 * from the seed in the file.
 */

import { describeError } from "../../base/file-error.ts";
import { InputError } from "../../base/input.ts";
import { memberOf, parseJson } from "../../base/parse-json.ts";
import type { SimulatorCore } from "../../simulator/core.ts";
import { parseSnapshot, type Snapshot } from "../../world/accounts/snapshot.ts";
import { checkWritable, readText, writeWholeFile } from "./whole-file.ts";

/** A snapshot file can't be read or written. The message names it, says why and what to do. Nothing was changed. */
export class SnapshotFileError extends Error {
  override readonly name = "SnapshotFileError";

  constructor(path: string, what: string, cause: unknown) {
    super(`${path}: ${what}`, { cause });
  }
}

const OWNER_ONLY = 0o600;

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
  const text = `${JSON.stringify(sim.snapshot())}\n`;
  return { replaced: await saving(path, writeWholeFile(path, text, OWNER_ONLY)) };
}

/** Checks that a snapshot can be saved there. @throws SnapshotFileError (as a rejection). */
export async function checkSavable(path: string): Promise<void> {
  await saving(path, checkWritable(path));
}

function saving<Result>(path: string, work: Promise<Result>): Promise<Result> {
  return work.catch((error: unknown) => {
    const what = `can't be saved: ${describeError(error)}. Choose a file in a writable folder.`;
    throw new SnapshotFileError(path, what, error);
  });
}

/**
 * Restores the state from a file, as `restore` does.
 *
 * @throws SnapshotFileError (as a rejection) if the file is missing, damaged or not a snapshot. Nothing changes then.
 */
export function loadSnapshot(sim: Pick<SimulatorCore, "restore">, path: string): Promise<void> {
  // The simulator checks every field before it changes anything.
  return load(path, (content) => sim.restore(content as Snapshot));
}

/** The snapshot in a file, checked as far as possible without a world. @throws SnapshotFileError (as a rejection). */
export function readSnapshot(path: string): Promise<Snapshot> {
  return load(path, parseSnapshot);
}

async function load<Result>(path: string, use: (content: unknown) => Result): Promise<Result> {
  try {
    const content = parseJson(await readText(path), (mistake) => new Error(`it ${mistake}`));
    if (memberOf(content, "format") !== "adsim-snapshot") {
      throw new Error("it is not a snapshot of adsim");
    }
    return use(content);
  } catch (error) {
    const why =
      error instanceof InputError ? error.message.replace(/\.$/, "") : describeError(error);
    const what = `can't be loaded: ${why}. Nothing was changed. Give a file that this version of adsim saved.`;
    throw new SnapshotFileError(path, what, error);
  }
}

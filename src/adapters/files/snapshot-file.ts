/**
 * A world's state to a file and back. It is read strictly, so that what is damaged or of another kind changes nothing. Keys
 * follow from the seed in it.
 */

import { describeError } from "../../base/file-error.ts";
import { InputError } from "../../base/input.ts";
import { describeJsonError } from "../../base/json-error.ts";
import type { SimulatorCore } from "../../simulator/simulator.ts";
import { parseSnapshot, type Snapshot } from "../../world/accounts/snapshot.ts";
import { checkWritable, writeFileAtomically } from "./atomic-file.ts";
import { readLines } from "./read-lines.ts";

/** A snapshot's file that can't be read or written. The message names it, says why and what to do; nothing was changed. */
export class SnapshotFileError extends Error {
  override readonly name = "SnapshotFileError";
  readonly path: string;

  constructor(path: string, what: string, cause: unknown) {
    super(`${path}: ${what}`, { cause });
    this.path = path;
  }
}

/**
 * Saves the state as it is now, whole or not at all: a file that is there before stays as it is until the new one is
 * complete on disk. Only this user may read a new file; one that is there keeps its mode.
 *
 * @returns whether it replaced a file.
 * @throws InputError (as a rejection) where a fault rule is a function; SnapshotFileError.
 */
export async function saveSnapshot(
  sim: Pick<SimulatorCore, "snapshot">,
  path: string,
): Promise<{ readonly replaced: boolean }> {
  // At once, before anything is awaited: the state of this moment.
  const snapshot = snapshotOf(sim, path);
  try {
    const written = await writeFileAtomically(path, textOf(snapshot), OWNER_ONLY);
    return { replaced: written === "replaced" };
  } catch (error) {
    throw saveError(path, error);
  }
}

/**
 * Takes over the state that a file holds, as `restore` does.
 *
 * @throws SnapshotFileError (as a rejection) for a file that is missing, damaged or no snapshot. Then nothing changed.
 */
export async function loadSnapshot(
  sim: Pick<SimulatorCore, "restore">,
  path: string,
): Promise<void> {
  const content = await contentOf(path);
  try {
    // The simulator checks every field of it before it changes anything.
    sim.restore(content as Snapshot);
  } catch (error) {
    throw loadError(path, error);
  }
}

/** The snapshot in a file, checked as far as it can be without its world. @throws SnapshotFileError (as a rejection). */
export async function readSnapshot(path: string): Promise<Snapshot> {
  const content = await contentOf(path);
  try {
    return parseSnapshot(content);
  } catch (error) {
    throw loadError(path, error);
  }
}

/** Makes sure that a snapshot could be saved there. @throws SnapshotFileError (as a rejection). */
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
      "can't be saved: the events of one publisher are more than fit into a text of this Node. Save before there are so many.";
    throw new SnapshotFileError(path, what, error);
  }
}

/** A line for the world, then one for each account: together they can be longer than a string may be. */
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
/** What is worth a write of its own. */
const ENOUGH_CHARACTERS = 1 << 20;

function saveError(path: string, error: unknown): SnapshotFileError {
  const what = `can't be saved: ${describeError(error)}. Name a file in a folder that can be written to.`;
  return new SnapshotFileError(path, what, error);
}

/** What a file holds, as JSON. @throws SnapshotFileError for anything else. */
async function contentOf(path: string): Promise<unknown> {
  const lines: string[] = [];
  try {
    for await (const line of readLines(path)) lines.push(line);
  } catch (error) {
    const what = `can't be read: ${describeError(error)}. Give a file that --save-on-exit or saveSnapshot wrote.`;
    throw new SnapshotFileError(path, what, error);
  }
  try {
    const content = lines[0]?.trimEnd().endsWith(HEAD_END)
      ? parseByAccount(lines)
      : parseWhole(lines);
    refuseForeign(content);
    return content;
  } catch (error) {
    throw loadError(path, error);
  }
}

/** In the form in which it is written here. */
function parseByAccount([head = "", ...rest]: readonly string[]): unknown {
  const accounts: unknown[] = [];
  for (const [index, line] of rest.entries()) {
    const text = line.trimEnd();
    if (text === "]}") return { ...(parseLine(`${head}]}`, 1) as object), accounts };
    accounts.push(parseLine(text.endsWith(",") ? text.slice(0, -1) : text, index + 2));
  }
  throw new Error(`it is not complete: it breaks off after line ${rest.length + 1}`);
}

function parseLine(json: string, line: number): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw new Error(`it is damaged or not complete: line ${line} is not JSON`);
  }
}

/** In any other form, as from `GET /_sim/snapshot`. */
function parseWhole(lines: readonly string[]): unknown {
  if (lines.every((line) => line.trim() === "")) throw new Error("it is empty");
  try {
    return JSON.parse(lines.join("\n"));
  } catch (error) {
    if (error instanceof RangeError) throw error;
    throw new Error(`it ${describeJsonError(error)}`);
  }
}

/** Says of a file of another kind what it is, rather than which field it lacks. */
function refuseForeign(content: unknown): void {
  const members = typeof content === "object" && content !== null ? content : {};
  if ("format" in members && members.format === "adsim-snapshot") return;
  const has = (name: string): boolean => Object.hasOwn(members, name);
  const isJournal = has("request") || has("entries");
  const kind = has("log")
    ? "a HAR, it seems"
    : isJournal
      ? "a journal, it seems"
      : "JSON of another kind";
  throw new Error(`it is no snapshot of adsim, but ${kind}`);
}

function loadError(path: string, error: unknown): SnapshotFileError {
  const why = error instanceof InputError ? error.message.replace(/\.$/, "") : describeError(error);
  const what = `can't be loaded: ${why}. Nothing was changed. Give a file that this version of adsim saved.`;
  return new SnapshotFileError(path, what, error);
}

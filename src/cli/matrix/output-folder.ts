/** CMD's output goes to a file as it comes, whatever its length. Only its last lines are read back. */

import { existsSync } from "node:fs";
import { type FileHandle, mkdir, mkdtemp, open, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { checkWritable, temporaryPathIn } from "../../adapters/files/whole-file.ts";
import { shortened } from "../../base/text.ts";
import { couldNotRun } from "../output/exit.ts";

/** Output that was kept. */
export interface KeptOutput {
  readonly file: string;
  /** Its last lines, without control characters. */
  readonly tail: readonly string[];
}

/** The file for the output of one run. */
export interface Spool {
  readonly handle: FileHandle;
  /** A path for a second file, which is deleted with this one. */
  readonly secondFile: string;
  /** Closes the file and keeps it under a name. */
  keep(name: string): Promise<KeptOutput>;
  /** Closes and deletes the file, unless it was kept. */
  discard(): Promise<void>;
}

export interface OutputFolder {
  spool(): Promise<Spool>;
  /** Removes a temporary folder in which nothing was kept. */
  close(): Promise<void>;
}

/** The given folder, which is made if needed; otherwise a temporary one, which stays if something in it is kept. */
export async function createOutputFolder(given: string | undefined): Promise<OutputFolder> {
  const folder = await make(given);
  let kept = 0;
  return {
    spool: () =>
      orCouldNotRun(folder, async () => {
        const file = temporaryPathIn(folder);
        const handle = await open(file, "wx+");
        const secondFile = temporaryPathIn(folder);
        let isOpen = true;
        return {
          handle,
          secondFile,
          keep: (name) =>
            orCouldNotRun(folder, async () => {
              const tail = await lastLines(handle);
              isOpen = false;
              await handle.close();
              const keptFile = await keep(file, folder, name);
              kept += 1;
              return { file: keptFile, tail };
            }),
          async discard() {
            await rm(secondFile, { force: true });
            if (!isOpen) return;
            isOpen = false;
            await handle.close();
            await rm(file, { force: true });
          },
        };
      }),
    async close() {
      if (given === undefined && kept === 0) await rm(folder, { recursive: true, force: true });
    },
  };
}

async function make(given: string | undefined): Promise<string> {
  if (given === undefined) {
    return orCouldNotRun(tmpdir(), () => mkdtemp(join(tmpdir(), "adsim-matrix-")));
  }
  return orCouldNotRun(given, async () => {
    await mkdir(given, { recursive: true });
    await checkWritable(temporaryPathIn(given));
    return given;
  });
}

/** Keeps the file under a free name: an earlier matrix or the user may have used this one. */
async function keep(file: string, folder: string, name: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const kept = join(folder, number === 1 ? `${name}.log` : `${name}-${number}.log`);
    if (existsSync(kept)) continue;
    await rename(file, kept);
    return kept;
  }
}

/** @throws CommandFailure that says what is wrong with the folder. */
async function orCouldNotRun<T>(folder: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw couldNotRun(
      `CMD's output can't be kept in ${folder}: ${why}. Name a folder that you may write to: --keep-output FOLDER.`,
    );
  }
}

const TAIL_BYTES = 16_384;
const TAIL_LINES = 20;
const MAX_COLUMNS = 300;

/** The last lines of a file, without control characters. */
async function lastLines(handle: FileHandle): Promise<readonly string[]> {
  const { size } = await handle.stat();
  const from = Math.max(0, size - TAIL_BYTES);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(TAIL_BYTES), 0, TAIL_BYTES, from);
  const text = stripVTControlCharacters(buffer.toString("utf8", 0, bytesRead));
  const all = text.split(/\r\n|[\r\n]/);
  // The first line is incomplete if the file has more before it.
  const whole = from > 0 && all.length > 1 ? all.slice(1) : all;
  const lines = whole.map((line) => line.replaceAll(/[^\t\P{C}]/gu, "").trimEnd());
  while (lines.at(-1) === "") lines.pop();
  return lines.slice(-TAIL_LINES).map((line) => shortened(line, MAX_COLUMNS));
}

/** Report files: found out to be writable before any work, written after it, whole or not at all. */

import { open, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { CommandFailure, exitCodes } from "./exit.ts";
import type { ReportTarget } from "./report-option.ts";

/** @throws CommandFailure for a file that can't be written. */
export async function checkReports(targets: readonly ReportTarget[]): Promise<void> {
  const paths = targets.map(({ file }) => resolve(file));
  const twice = paths.findIndex((path, index) => paths.indexOf(path) !== index);
  const again = targets[twice];
  if (again !== undefined && !paths[twice]?.startsWith("/dev/")) {
    throw new CommandFailure(
      exitCodes.wrongUsage,
      `--report names ${again.file} twice: give each report a file of its own.`,
    );
  }
  for (const { kind, file } of targets) {
    const isNew = await stat(file).then(
      () => false,
      () => true,
    );
    try {
      // Opened to add to it, so that an older report stays until there is a new one.
      await (await open(file, "a")).close();
      if (isNew) await rm(file);
    } catch (error) {
      throw notWritable(kind, file, error);
    }
  }
}

/** @throws CommandFailure for a file that can't be written. */
export async function writeReports<Kind extends string>(
  targets: readonly ReportTarget<Kind>[],
  texts: Readonly<Record<Kind, () => string | Promise<string>>>,
): Promise<void> {
  for (const { kind, file } of targets) {
    const text = await texts[kind]();
    try {
      await writeWhole(file, text);
    } catch (error) {
      throw notWritable(kind, file, error);
    }
  }
}

/** An older report stays as it is until the new one is complete. */
async function writeWhole(file: string, text: string): Promise<void> {
  const target = await realpath(file).catch(() => file);
  const found = await stat(target).catch(() => undefined);
  // A device or a pipe is written to: it would be replaced by a file.
  if (found !== undefined && !found.isFile()) return writeFile(target, text);
  const temporary = `${target}.${process.pid}.tmp`;
  try {
    await writeFile(temporary, text, { flag: "wx", mode: found?.mode ?? 0o666 });
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    if (!isAboutTheFolder(error)) throw error;
    await writeFile(target, text);
  }
}

/** Where only the file may be written, as one that is mounted into a container: it is written in place. */
function isAboutTheFolder(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "EACCES" || code === "EPERM" || code === "EBUSY" || code === "EROFS";
}

function notWritable(kind: string, file: string, error: unknown): CommandFailure {
  const why = error instanceof Error ? error.message : String(error);
  return new CommandFailure(
    exitCodes.couldNotRun,
    `--report ${kind}=${file} can't be written: ${why}. Name a file in a folder that exists.`,
  );
}

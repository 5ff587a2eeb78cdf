/** Report files: found out to be writable before any work, written after it. */

import { open, rm, stat, writeFile } from "node:fs/promises";
import { CommandFailure, exitCodes } from "../exit.ts";
import type { ReportTarget } from "./options.ts";

/** @throws CommandFailure for a file that can't be written. */
export async function checkReports(targets: readonly ReportTarget[]): Promise<void> {
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
export async function writeReports(
  targets: readonly ReportTarget[],
  texts: Readonly<Record<ReportTarget["kind"], () => string>>,
): Promise<void> {
  for (const { kind, file } of targets) {
    try {
      await writeFile(file, texts[kind]());
    } catch (error) {
      throw notWritable(kind, file, error);
    }
  }
}

function notWritable(kind: string, file: string, error: unknown): CommandFailure {
  const why = error instanceof Error ? error.message : String(error);
  return new CommandFailure(
    exitCodes.couldNotRun,
    `--report ${kind}=${file} can't be written: ${why}. Name a file in a folder that exists.`,
  );
}

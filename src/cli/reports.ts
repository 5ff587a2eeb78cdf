/** Report files: checked before any work, and written after it. */

import { checkWritable, type Written, writeWhole } from "../adapters/files/whole-file.ts";
import { whyNot } from "../base/file-error.ts";
import { CommandFailure, exitCodes } from "./exit.ts";
import type { ReportTarget } from "./report-option.ts";

/** @throws CommandFailure for a file that can't be written. */
export async function checkReports(targets: readonly ReportTarget[]): Promise<void> {
  const taken = new Set<string>();
  for (const { kind, file } of targets) {
    const path = await checkWritable(file).catch((error: unknown) => {
      throw notWritable(kind, file, error);
    });
    if (path === undefined) continue;
    if (taken.has(path)) {
      throw new CommandFailure(
        exitCodes.wrongUsage,
        `--report names ${file} twice: give each report a file of its own.`,
      );
    }
    taken.add(path);
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
      sayIfReplaced(`--report ${kind}=${file}`, await writeWhole(file, text));
    } catch (error) {
      throw notWritable(kind, file, error);
    }
  }
}

/** `option`: the option and its file, as the user gave them. */
export function sayIfReplaced(option: string, written: Written): void {
  if (written !== "replaced") return;
  process.stderr.write(`adsim: ${option} replaced the file that was there\n`);
}

function notWritable(kind: string, file: string, error: unknown): CommandFailure {
  return new CommandFailure(
    exitCodes.couldNotRun,
    `--report ${kind}=${file} can't be written: ${whyNot(error)}. Name a file in a folder that exists.`,
  );
}

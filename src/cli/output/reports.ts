/** Report files. They are checked before the work, and written after it. */

import { checkWritable, writeFileAtomically } from "../../adapters/files/atomic-file.ts";
import { describeError } from "../../base/file-error.ts";
import { type CommandFailure, couldNotRun, wrongUsage } from "./exit.ts";
import type { ReportTarget } from "./report-option.ts";

/** @throws CommandFailure for a file that can't be written. */
export async function checkReports(targets: readonly ReportTarget[]): Promise<void> {
  const taken = new Set<string>();
  for (const { kind, file } of targets) {
    const path = await checkWritable(file).catch((error: unknown) => {
      throw notWritable(`--report ${kind}=${file}`, error);
    });
    if (path === undefined) continue;
    if (taken.has(path)) {
      throw wrongUsage(`--report names ${file} twice. Give each report its own file.`);
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
    await writeOut(`--report ${kind}=${file}`, file, await texts[kind]());
  }
}

/** `option`: the option and its file as the user gave them. @throws CommandFailure for a file that can't be written. */
export async function writeOut(option: string, file: string, text: string): Promise<void> {
  const written = await writeFileAtomically(file, text).catch((error: unknown) => {
    throw notWritable(option, error);
  });
  if (written !== "replaced") return;
  process.stderr.write(`adsim: ${option} replaced an existing file\n`);
}

function notWritable(option: string, error: unknown): CommandFailure {
  return couldNotRun(
    `${option} can't be written: ${describeError(error)}. Name a file in a folder that exists.`,
  );
}

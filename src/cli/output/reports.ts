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
  stderr: NodeJS.WritableStream,
): Promise<void> {
  for (const { kind, file } of targets) {
    await writeOut({ option: `--report ${kind}=${file}`, file, text: await texts[kind]() }, stderr);
  }
}

interface Output {
  /** With its file, as the user gave them. */
  readonly option: string;
  readonly file: string;
  readonly text: string;
}

/** @throws CommandFailure for a file that can't be written. */
export async function writeOut(
  { option, file, text }: Output,
  stderr: NodeJS.WritableStream,
): Promise<void> {
  const written = await writeFileAtomically(file, text).catch((error: unknown) => {
    throw notWritable(option, error);
  });
  if (written !== "replaced") return;
  stderr.write(`adsim: ${option} replaced an existing file\n`);
}

function notWritable(option: string, error: unknown): CommandFailure {
  return couldNotRun(
    `${option} can't be written: ${describeError(error)}. Name a file in a folder that exists.`,
  );
}

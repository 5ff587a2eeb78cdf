/** The files that options name. They are checked before the work, and written after it. */

import { resolve } from "node:path";
import { checkWritable, writeWholeFile } from "../../adapters/files/whole-file.ts";
import { describeError } from "../../base/file-error.ts";
import { type CommandFailure, couldNotRun, wrongUsage } from "./exit.ts";

/** A file to write a report to. */
export interface ReportTarget<Kind extends string = string> {
  readonly kind: Kind;
  readonly file: string;
}

/** @throws CommandFailure for a report that can't be written. */
export async function checkReports(targets: readonly ReportTarget[]): Promise<void> {
  for (const target of targets) await checkOut({ ...target, option: optionOf(target) });
}

/** @throws CommandFailure for a file that can't be written. */
export async function writeReports<Kind extends string>(
  targets: readonly ReportTarget<Kind>[],
  texts: Readonly<Record<Kind, () => string>>,
  stderr: NodeJS.WritableStream,
): Promise<void> {
  for (const target of targets) {
    const content = texts[target.kind]();
    await writeOut({ ...target, option: optionOf(target), content }, stderr);
  }
}

function optionOf({ kind, file }: ReportTarget): string {
  return `--report ${kind}=${file}`;
}

interface Output {
  /** With its file, as the user gave them. */
  readonly option: string;
  readonly file: string;
  readonly content: string;
}

/** `input`: a file that is read. @throws CommandFailure if that is the file, or if it can't be written. */
export async function checkOut(
  { option, file }: Omit<Output, "content">,
  input?: string,
): Promise<void> {
  if (input !== undefined && resolve(input) === resolve(file))
    throw wrongUsage(`${option} would replace ${input}, which is read. Name another file.`);
  await checkWritable(file).catch((error: unknown) => {
    throw notWritable(option, error);
  });
}

/** @throws CommandFailure for a file that can't be written. */
export async function writeOut(
  { option, file, content }: Output,
  stderr: NodeJS.WritableStream,
): Promise<void> {
  const replaced = await writeWholeFile(file, content).catch((error: unknown) => {
    throw notWritable(option, error);
  });
  if (replaced) stderr.write(`adsim: ${option} replaced an existing file\n`);
}

function notWritable(option: string, error: unknown): CommandFailure {
  return couldNotRun(
    `${option} can't be written: ${describeError(error)}. Name a file in a folder that exists.`,
  );
}

/** The files that options name. Reports are checked before the work, and written after it. */

import { realpath } from "node:fs/promises";
import { type Content, checkWritable, writeWholeFile } from "../../adapters/files/whole-file.ts";
import { describeError } from "../../base/file-error.ts";
import { type CommandFailure, couldNotRun, wrongUsage } from "./exit.ts";
import type { ReportTarget } from "./report-option.ts";

/** `inputs`: files that are read. @throws CommandFailure for a file that can't be written, or that is one of them. */
export async function checkReports(
  targets: readonly ReportTarget[],
  inputs: readonly string[] = [],
): Promise<void> {
  const taken = new Set<string>();
  for (const { kind, file } of targets) {
    const path = await checkOut({ option: `--report ${kind}=${file}`, file }, inputs);
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
    const content = await texts[kind]();
    await writeOut({ option: `--report ${kind}=${file}`, file, content }, stderr);
  }
}

interface Output {
  /** With its file, as the user gave them. */
  readonly option: string;
  readonly file: string;
  readonly content: Content;
}

/**
 * `inputs`: files that are read, which it must not replace.
 *
 * @returns the path that links lead to; undefined for a pipe or a device.
 * @throws CommandFailure if it can't be written, or is one of the inputs.
 */
export async function checkOut(
  { option, file }: Omit<Output, "content">,
  inputs: readonly string[] = [],
): Promise<string | undefined> {
  const path = await checkWritable(file).catch((error: unknown) => {
    throw notWritable(option, error);
  });
  for (const input of inputs) {
    const read = await realpath(input).catch(() => undefined);
    if (path !== undefined && path === read)
      throw wrongUsage(`${option} would replace ${input}, which is read. Name another file.`);
  }
  return path;
}

/** @throws CommandFailure for a file that can't be written. */
export async function writeOut(
  { option, file, content }: Output,
  stderr: NodeJS.WritableStream,
): Promise<void> {
  const written = await writeWholeFile(file, content).catch((error: unknown) => {
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

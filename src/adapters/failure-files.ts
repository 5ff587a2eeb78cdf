/** Writes files about a failed test: its trace, and others. An error in writing never hides the failure itself. */

import { describeError } from "../base/file-error.ts";
import type { Simulator } from "./create-simulator.ts";
import { environmentValue } from "./environment.ts";

const TRACES = "ADSIM_TRACES";
const OFF = "off";

export interface FailureTraceOptions {
  /** The file's name, with its ending. */
  readonly file: string;
  readonly title: string;
  /** Unless `ADSIM_TRACES` names another. */
  readonly folder: string;
}

/**
 * Writes what happened in the simulator to a file in the folder that `ADSIM_TRACES` names, by default `folder`. Never rejects.
 *
 * @returns undefined if `ADSIM_TRACES` is `off`.
 */
export async function writeFailureTrace(
  sim: Pick<Simulator, "trace">,
  { file, title, folder }: FailureTraceOptions,
): Promise<WriteResult | undefined> {
  const asked = environmentValue(TRACES);
  if (asked === OFF) return undefined;
  let html: string;
  try {
    html = await sim.trace({ title });
  } catch (error) {
    return { kind: "not-written", why: error instanceof Error ? error.message : String(error) };
  }
  return await writeFailureFile(asked ?? folder, file, html);
}

/** The file, or why there is none. */
export function traceInWords(trace: WriteResult): string {
  return trace.kind === "written" ? trace.path : `not written: ${trace.why.replace(/\.$/, "")}.`;
}

/** The file's path, relative to the working directory, or why there is none. */
export type WriteResult =
  | { readonly kind: "written"; readonly path: string }
  | { readonly kind: "not-written"; readonly why: string };

/** Makes the directory, and writes or replaces the file. Never rejects. */
export async function writeFailureFile(
  directory: string,
  file: string,
  text: string,
): Promise<WriteResult> {
  if (typeof process === "undefined" || process.versions?.node === undefined) {
    return { kind: "not-written", why: "only Node can write files" };
  }
  try {
    const { mkdir, writeFile } = await import("node:fs/promises");
    const { join } = await import("node:path");
    await mkdir(directory, { recursive: true });
    const path = join(directory, file);
    await writeFile(path, text);
    return { kind: "written", path };
  } catch (error) {
    return {
      kind: "not-written",
      why: `can't write to ${directory}: ${describeError(error)}`,
    };
  }
}

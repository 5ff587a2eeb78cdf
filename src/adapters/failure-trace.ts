/** The trace of a failed test, as a file. */

import type { Simulator } from "./create-simulator.ts";
import { environmentValue } from "./environment.ts";
import { type WriteResult, writeFailureFile } from "./files/failure-file.ts";

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

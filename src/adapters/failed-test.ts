/** Shows what happened in the world of a test that failed. */

import { counted } from "../base/counted.ts";
import { printable } from "../base/text.ts";
import type { SimulatorCore } from "../simulator/core.ts";
import type { Simulator } from "./create-simulator.ts";
import {
  failureFileName,
  traceInWords,
  type WriteResult,
  writeFailureTrace,
} from "./failure-files.ts";

export interface FailedTest {
  /** The test's file, as the runner names it. */
  readonly file: string;
  /** Of the groups that the test is in, and its own. */
  readonly names: readonly string[];
  /** The same in every run, and different for every test. */
  readonly id: string;
}

const TRACES_FOLDER = "adsim-traces";

/**
 * Prints the latest requests to the test's world, writes its trace, and prints where that is. Never rejects.
 *
 * @returns the trace; undefined if nothing was asked, or `ADSIM_TRACES` is `off`.
 */
export async function reportFailedTest(
  sim: Simulator,
  test: FailedTest,
): Promise<WriteResult | undefined> {
  const { file, names, id } = test;
  const title = [file, ...names].join(" > ");
  const name = failureFileName(names.join(" "), [file, id]);
  const options = { file: `${name}.html`, title, folder: TRACES_FOLDER };
  const trace = sim.journal.total === 0 ? undefined : await writeFailureTrace(sim, options);
  const where = trace && `adsim: to open in a browser: ${traceInWords(trace)}`;
  console.error([latestRequests(sim), ...(where ? [where] : [])].join("\n"));
  return trace;
}

const MAX_SHOWN = 8;

/** The latest requests to the world, without keys. */
function latestRequests({ journal }: SimulatorCore): string {
  const entries = journal.entries({ limit: MAX_SHOWN });
  if (entries.length === 0) return "adsim: no request came to the test's world.";
  const lines = entries.map(({ sequence, at, request, response, reason }) => {
    const answer = response.status === 0 ? "no answer" : response.status;
    return `  #${sequence} ${at} ${printable(`${request.method} ${request.path}`)} → ${answer}, ${reason}`;
  });
  const which = entries.length < journal.total ? `the last ${entries.length} of ` : "";
  return [
    `adsim: ${which}${counted(journal.total, "request")} to the test's world. All of each: sim.journal.entries().`,
    ...lines,
  ].join("\n");
}

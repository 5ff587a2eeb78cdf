/** Shows and writes what happened in the world of a test that failed. An error in writing never hides the failure itself. */

import { counted } from "../base/counted.ts";
import { digestOf } from "../base/digest.ts";
import { describeError } from "../base/file-error.ts";
import { printable } from "../base/text.ts";
import type { Simulator } from "./create-simulator.ts";
import { environmentValue } from "./environment.ts";

interface FailedTest {
  /** The test's file, as the runner names it. */
  readonly file: string;
  /** The names of the groups that the test is in, and its own. */
  readonly name: string;
  /** The same in every run, and different for every test. */
  readonly id: string;
}

/**
 * Prints the latest requests to the test's world, writes its trace, and prints where that is. Never rejects.
 *
 * @returns the trace; undefined if nothing was asked, or `ADSIM_TRACES` is `off`.
 */
export async function reportFailedTest(
  sim: Simulator,
  { file, name, id }: FailedTest,
): Promise<Written | undefined> {
  console.error(latestRequests(sim));
  if (sim.journal.total === 0) return undefined;
  const trace = await writeFailureTrace(sim, {
    file: `${failureFileName(name, [file, id])}.html`,
    title: `${file} > ${name}`,
    folder: "adsim-traces",
  });
  if (trace !== undefined) console.error(`adsim: to open in a browser: ${traceInWords(trace)}`);
  return trace;
}

/** The latest requests to the world, without keys. */
function latestRequests({ journal }: Simulator): string {
  const lines = journal.entries({ limit: 8 }).map(({ sequence, at, request, response, reason }) => {
    const answer = response.status === 0 ? "no answer" : response.status;
    return `\n  #${sequence} ${at} ${printable(`${request.method} ${request.path}`)} → ${answer}, ${reason}`;
  });
  return `adsim: ${counted(journal.total, "request")} to the test's world. Full entries: sim.journal.entries().${lines.join("")}`;
}

const MAX_WORDS = 55;

/**
 * A file's name without its ending: letters, digits and single hyphens. The same for the same failure in every run, and different
 * if the identities differ, even where the words are the same in ASCII.
 */
export function failureFileName(words: string, identity: readonly string[]): string {
  const plain = words.toLowerCase().match(/[a-z0-9]+/g) ?? ["failure"];
  const unique = digestOf(identity).slice(0, 8);
  return `${plain.join("-").slice(0, MAX_WORDS).replace(/-$/, "")}-${unique}`;
}

/**
 * Writes what happened in the simulator to a file in the folder that `ADSIM_TRACES` names, by default `folder`. Never rejects.
 *
 * @param about `file`: its name with its ending.
 * @returns undefined if `ADSIM_TRACES` is `off`.
 */
export async function writeFailureTrace(
  sim: Pick<Simulator, "trace">,
  about: { readonly file: string; readonly title: string; readonly folder: string },
): Promise<Written | undefined> {
  const asked = environmentValue("ADSIM_TRACES");
  if (asked === "off") return undefined;
  return await writeFailureFile(asked ?? about.folder, about.file, sim.trace(about));
}

/** The file's path, relative to the working directory, or why there is none. */
export type Written = { readonly path?: string; readonly why?: string };

/** The file, or why there is none. */
export function traceInWords(trace: Written): string {
  return trace.path ?? `not written: ${trace.why}.`;
}

/** Makes the directory, and writes or replaces the file. Never rejects. */
export async function writeFailureFile(
  directory: string,
  file: string,
  text: string | Promise<string>,
): Promise<Written> {
  try {
    const { mkdir, writeFile } = await import("node:fs/promises");
    const { join } = await import("node:path");
    await mkdir(directory, { recursive: true });
    const path = join(directory, file);
    await writeFile(path, await text);
    return { path };
  } catch (error) {
    return { why: `can't write to ${directory}: ${describeError(error).replace(/\.$/, "")}` };
  }
}

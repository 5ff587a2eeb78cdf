/** Shows and writes what happened in the world of a test that failed. An error in writing never hides the failure itself. */

import { counted } from "../base/counted.ts";
import { digestOf } from "../base/digest.ts";
import { describeError } from "../base/file-error.ts";
import { printable } from "../base/text.ts";
import type { Simulator } from "./create-simulator.ts";
import { environmentValue } from "./environment.ts";

const TRACES = "ADSIM_TRACES";
const OFF = "off";

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
function latestRequests({ journal }: Simulator): string {
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

const MAX_WORDS = 55;

/**
 * A file's name without its ending: letters, digits and single hyphens. The same for the same failure in every run, and different
 * if the identities differ, even where the words are the same in ASCII. Paths in them count from the working directory.
 */
export function failureFileName(words: string, identity: readonly string[]): string {
  const folder = typeof process === "undefined" ? "" : process.cwd();
  const plain = words.toLowerCase().match(/[a-z0-9]+/g) ?? ["failure"];
  const unique = digestOf(identity.map((one) => one.replace(folder, ""))).slice(0, 8);
  return `${plain.join("-").slice(0, MAX_WORDS).replace(/-$/, "")}-${unique}`;
}

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

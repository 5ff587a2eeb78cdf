/** `adsim record FILE`: turns a recording into a scenario: a HAR, a journal as NDJSON, or a trace in CSV. */

import { basename, extname } from "node:path";
import { InputError } from "../../base/input.ts";
import { indentedJson, printable } from "../../base/text.ts";
import { readRecording } from "../../journal/read-recording.ts";
import type { Recording } from "../../journal/recorded-entry.ts";
import { plural } from "../../play/measure/quantities.ts";
import { MAX_RECORDED_STEPS, parseScenario } from "../../play/scenario/parse-scenario.ts";
import type { Scenario } from "../../play/scenario/types.ts";
import { couldNotRun } from "../output/exit.ts";
import { checkOut, writeOut } from "../output/reports.ts";
import { say } from "../output/say.ts";
import type { HostProcess } from "../processes/host-process.ts";
import { leftOutGroups } from "../replay/left-out.ts";
import { recordingIn } from "../replay/recording-in.ts";

import { readCsv } from "./read-csv.ts";
import { apiRequests } from "./recorded-requests.ts";
import { scenarioOfRecording } from "./scenario-of-recording.ts";

export interface RecordFlags {
  readonly name?: string;
  readonly out?: string;
}

/** @throws CommandFailure for a file that can't be read or written, or that has no request to the API. */
export async function record(file: string, flags: RecordFlags, host: HostProcess): Promise<void> {
  const { out, name = nameFrom(file) } = flags;
  const written = out === undefined ? undefined : { option: `--out ${out}`, file: out };
  if (written !== undefined) await checkOut(written, [file]);
  const wanted = "a journal as NDJSON, a HAR file or a CSV trace";
  const recording = apiRequests(await recordingIn(file, read, wanted));
  const leftOut = leftOutOf(recording);
  const sent = recording.entries.filter(({ leftOut }) => leftOut === undefined).length;
  if (sent === 0) throw couldNotRun(`${file} has no request for a scenario: ${leftOut}.`);
  // Each request makes at least one step, and millions take long.
  mustFit(file, sent);
  let scenario: Scenario;
  try {
    scenario = scenarioOfRecording(recording, name);
    mustFit(file, scenario.steps.length);
    parseScenario(scenario, { maxSteps: MAX_RECORDED_STEPS });
  } catch (error) {
    if (!(error instanceof InputError) || error.field === "name") throw error;
    throw couldNotRun(`${file} can't become a scenario: ${error.message}`);
  }
  const text = indentedJson(scenario);
  if (written === undefined) say(text, host.stdout);
  else await writeOut({ ...written, content: text }, host.stderr);
  if (leftOut !== "") say(`adsim: left out: ${printable(leftOut)}\n`, host.stderr);
}

/** @throws CommandFailure for more steps than a scenario may have. */
function mustFit(file: string, steps: number): void {
  if (steps <= MAX_RECORDED_STEPS) return;
  throw couldNotRun(
    `${file} makes ${steps} steps or more, and a scenario may have at most ${MAX_RECORDED_STEPS}. Record a part of it.`,
  );
}

/** JSON begins with a bracket. */
function read(lines: readonly string[]): Recording {
  const first = lines.find((line) => line.trim() !== "")?.trim() ?? "";
  return /^[[{]/.test(first) || first === "" ? readRecording(lines) : readCsv(lines.join("\n"));
}

function leftOutOf({ entries }: Recording): string {
  const requests = entries.flatMap((entry) =>
    entry.leftOut === undefined ? [] : [{ entry, why: entry.leftOut }],
  );
  return leftOutGroups(requests)
    .map(
      ({ reason, count, which }) =>
        `${plural(count, "request")}, because ${reason}${which && ` (${which})`}`,
    )
    .join("; ");
}

/** The file's name as the name of a scenario: letters, digits and hyphens. */
function nameFrom(file: string): string {
  const words = basename(file, extname(file))
    .toLowerCase()
    .match(/[a-z0-9]+/g) ?? ["recorded"];
  return words.join("-").slice(0, 64).replace(/-$/, "");
}

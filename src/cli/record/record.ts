/**
 * `adsim record FILE`: turns a recording into a scenario: a HAR, a journal as NDJSON, or a trace in CSV, one request a row, with the
 * columns of the API's parameters. Says in words which requests were left out, and why.
 */

import { basename, extname } from "node:path";
import { CsvError, parse } from "csv-parse/sync";
import { readText } from "../../adapters/files/whole-file.ts";
import { parseInstant } from "../../base/calendar.ts";
import { didYouMean, formatList } from "../../base/did-you-mean.ts";
import { describeError } from "../../base/file-error.ts";
import { groupedBy } from "../../base/grouped-by.ts";
import { InputError } from "../../base/input.ts";
import { indentedJson, oneLine, printable } from "../../base/text.ts";
import { readRecording } from "../../journal/read-recording.ts";
import {
  type LeftOut,
  type RecordedEntry,
  type Recording,
  recordedInstant,
} from "../../journal/recorded-entry.ts";
import { plural } from "../../play/measure/quantities.ts";
import {
  type RecordedScenario,
  type RecordingOptions,
  scenarioOfRecording,
} from "../../play/recording/scenario-of-recording.ts";
import { MAX_RECORDED_STEPS, parseScenario } from "../../play/scenario/parse-scenario.ts";
import { buildRequest } from "../../spec/build-request.ts";
import { operationIds, operations } from "../../spec/operations.ts";
import type { recordOptions } from "../options/command-options.ts";
import type { Call, FlagsOf } from "../options/option.ts";
import { couldNotRun } from "../output/exit.ts";
import { checkOut, writeOut } from "../output/reports.ts";
import { say } from "../output/say.ts";

type RecordCall = Call<FlagsOf<typeof recordOptions>>;

/** @throws CommandFailure for a file that can't be read or written, or that has no request to the API. */
export async function record({ words, flags, host }: RecordCall): Promise<void> {
  const [file = ""] = words;
  const { out, name, signUp } = flags;
  const written = out === undefined ? undefined : { option: `--out ${out}`, file: out };
  if (written !== undefined) await checkOut(written, file);
  const recording = await recordingIn(file);
  const isElsewhere = !recording.byAdsim && signUp !== true;
  const publishers = isElsewhere ? "numbered" : "world";
  const made = madeOf(file, recording, { expects: "statuses", publishers }, name);
  const text = indentedJson(made.scenario);
  if (written === undefined) say(text, host.stdout);
  else await writeOut({ ...written, content: text }, host.stderr);
  const leftOut = leftOutInWords(leftOutGroups(made.leftOut));
  if (leftOut !== "") say(`adsim: left out: ${leftOut}\n`, host.stderr);
  if (!isElsewhere) return;
  // It must supply the publishers, with their surfaces in the order of the references.
  const given = made.publishers.flatMap(({ id, surfaces }) => {
    return ["--api-key KEY --publisher", id, ...surfaces.map((one) => `--surface ${one.id}`)];
  });
  const lines = [
    `play it at the recorded service, with these or other publishers: --target URL ${given.join(" ")}`,
    "for a world of adsim, where they have to sign up, record again with --sign-up",
  ];
  say(lines.map((line) => `adsim: ${line}\n`).join(""), host.stderr);
}

/** @throws CommandFailure that says what is wrong with the file. */
export async function recordingIn(file: string): Promise<Recording> {
  const text = await readText(file).catch((error: unknown) => {
    throw couldNotRun(
      `${file}: can't be read: ${describeError(error)}. Give a journal as NDJSON, a HAR file or a CSV trace.`,
    );
  });
  const lines = text.split("\n");
  const first = lines.find((line) => line.trim() !== "")?.trim() ?? "";
  const isJson = /^[[{]/.test(first) || first === "";
  try {
    return inTimeOrder(isJson ? readRecording(lines) : readCsv(text));
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const colon = error.field === "" ? "" : ":";
    throw couldNotRun(`${file}${colon} ${printable(error.message)}`);
  }
}

/** One without a time has that of the one before it. Ours is in order. */
function inTimeOrder(recording: Recording): Recording {
  if (recording.byAdsim) return recording;
  let at: string | undefined;
  const entries = recording.entries.map((entry) => {
    at = entry.at ?? at;
    return { ...entry, at };
  });
  const timeOf = (entry: RecordedEntry): number => parseInstant(entry.at ?? "") ?? 0;
  return { ...recording, entries: entries.sort((one, other) => timeOf(one) - timeOf(other)) };
}

/** @throws CommandFailure that says why the recording can't become a scenario. */
export function madeOf(
  file: string,
  recording: Recording,
  options: Omit<RecordingOptions, "name">,
  name = nameFrom(file),
): RecordedScenario {
  try {
    const made = scenarioOfRecording(recording, { ...options, name });
    if (made.entries.size === 0) {
      const leftOut = leftOutInWords(leftOutGroups(made.leftOut));
      throw couldNotRun(`${file} has no request for a scenario: ${leftOut}.`);
    }
    parseScenario(made.scenario, { maxSteps: MAX_RECORDED_STEPS });
    return made;
  } catch (error) {
    if (!(error instanceof InputError) || error.field === "name") throw error;
    throw couldNotRun(`${file} can't become a scenario: ${error.message}`);
  }
}

/** The file's name as the name of a scenario: letters, digits and hyphens. */
function nameFrom(file: string): string {
  const name = basename(file, extname(file)).toLowerCase();
  const words = name.match(/[a-z0-9]+/g) ?? ["recorded"];
  return words.join("-").slice(0, 64).replace(/-$/, "");
}

const reasons: Readonly<Record<LeftOut, string>> = {
  "kept-from-service": "a fault rule kept them from reaching the service",
  "no-response": "no response is recorded",
  control: "they are for the control API",
  "not-the-api": "they didn't go to the API",
  "other-host": "most requests to the API went to another address",
  "no-operation": "the API has no operation with their method and path",
  incomplete: "a required parameter isn't recorded",
  unsendable: "a scenario can't send them",
  "other-world": "a world with another seed answered them",
};

export function leftOutGroups(entries: readonly RecordedEntry[]) {
  const groups = groupedBy(entries, ({ leftOut }) => leftOut);
  return Array.from(groups, ([why, group]) => {
    const named = group.map(({ place, request: { method, path } }) => {
      return `${place} ${oneLine(method, 20)} ${oneLine(path, 100)}`;
    });
    return { reason: reasons[why], count: group.length, which: formatList(named) };
  });
}

/** "2 requests, because no response is recorded (line 3 GET /v1/click, …); …"; empty if there are none. */
export function leftOutInWords(groups: ReturnType<typeof leftOutGroups>): string {
  const words = groups.map(({ reason, count, which }) => {
    return `${plural(count, "request")}, because ${reason} (${which})`;
  });
  return printable(words.join("; "));
}

/** A row by the names of its columns. */
interface CsvRow {
  readonly record: Readonly<Record<string, string>>;
  readonly info: { readonly lines: number };
}

/** Other columns are ignored. @throws InputError that says where it is wrong. */
function readCsv(text: string): Recording {
  // Excel writes it to say what separates the columns.
  const said = /^"?sep=(.)"?\r?\n/i.exec(text)?.[1];
  const head = /\S.*/.exec(text)?.[0] ?? "";
  const delimiter = said ?? [",", ";", "\t"].find((one) => head.includes(one)) ?? ",";
  const form = { delimiter, trim: true, from_line: said === undefined ? 1 : 2 };
  const reading = { skip_empty_lines: true, relax_column_count: true, info: true } as const;
  try {
    // The package's types don't know what `info` changes.
    const rows = parse(text, { ...form, ...reading, columns: namesIn }) as unknown as CsvRow[];
    if (rows.length === 0) throw new InputError("", "has no request");
    const entries = rows.map(({ record, info }) => entryOf(record, `line ${info.lines}`));
    return { form: "CSV", byAdsim: false, entries };
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new InputError("", `is not CSV: ${error.message}`);
  }
}

function namesIn(head: readonly string[]): string[] {
  const names = head.map((name) => name.toLowerCase());
  if (names.includes("operation")) return names;
  const expected = "A CSV trace needs it, a journal or a HAR begins with { or [";
  throw new InputError("", `has no column "operation" in its first line. ${expected}`);
}

function entryOf({ operation: asked = "", at, ...row }: CsvRow["record"], place: string) {
  const operation = operationIds.find((id) => id === asked.toLowerCase());
  if (operation === undefined) {
    const expected = `must be one of ${formatList(operationIds, "or")}`;
    throw new InputError(`${place}, operation:`, `${expected}.${didYouMean(asked, operationIds)}`);
  }
  const status = row.status || "200";
  // 0 and -1 stand for no answer.
  if (!/^(?:[1-5]\d\d|0|-1)$/.test(status))
    throw new InputError(`${place}, status:`, "must be an HTTP status, such as 200");
  const { parameters } = operations[operation];
  const values = Object.entries(row).filter(([name, value]) => value && name in parameters);
  const built = buildRequest(operation, Object.fromEntries(values), {});
  const { method, path, query = "", headers = {}, body = "" } = built;
  // In the row of an impression it is the id that the service answered with.
  const answer = operation === "impression" ? { impression_id: row.impression_id } : {};
  return {
    ...{ place, operation, publisher: row.publisher_id || undefined },
    at: at ? recordedInstant(at, `${place}, at:`) : undefined,
    request: { method, path, query: String(query), headers, body: String(body) },
    response: { status: Number(status), headers: {}, body: JSON.stringify(answer) },
    leftOut: Number(status) > 0 ? undefined : "no-response",
  } satisfies RecordedEntry;
}

/** Reads a trace in CSV as a recording: one request a row, with the columns of the API's parameters. */

import { CsvError, parse } from "csv-parse/sync";
import { didYouMean, formatList } from "../../base/did-you-mean.ts";
import { InputError } from "../../base/input.ts";
import { recordedInstant } from "../../journal/read-entry.ts";
import type { RecordedEntry, Recording } from "../../journal/recorded-entry.ts";
import { buildRequest } from "../../spec/build-request.ts";
import { operationIds, operations } from "../../spec/operations.ts";

const parameters: readonly string[] = [
  ...new Set(Object.values(operations).flatMap((one) => Object.keys(one.parameters))),
];
/** `impression_id` of an impression is the id that the service answered with: clicks refer to it. */
const columns: readonly string[] = ["at", "operation", "status", ...parameters];

/** What a file may be, and how it is told apart. */
const FORMS =
  "adsim reads a journal as NDJSON or JSON, a HAR file, and a trace in CSV. A file that begins with { or [ is read as JSON, " +
  `any other as CSV, whose first line names the columns: some of ${formatList(columns)}`;

type Row = Readonly<Record<string, string>>;

/** @throws InputError that says where it is wrong. */
export function readCsv(text: string): Recording {
  const [head, ...rows] = rowsIn(text);
  const names = head?.record ?? [];
  if (!names.some((name) => columns.includes(name))) {
    throw new InputError("", `is not a recording: line 1 names no known column. ${FORMS}`);
  }
  for (const [index, name] of names.entries()) {
    if (!columns.includes(name)) {
      const hint = didYouMean(name, columns) || ` The columns are ${formatList(columns)}.`;
      throw new InputError("", `has an unknown column ${JSON.stringify(name)} in line 1.${hint}`);
    }
    if (names.indexOf(name) < index)
      throw new InputError("", `has the column ${name} twice in line 1`);
  }
  if (!names.includes("operation")) {
    throw new InputError(
      "",
      `has no column "operation": its first line must name the columns, some of ${formatList(columns)}`,
    );
  }
  if (rows.length === 0) throw new InputError("", "has no request: only line 1 has fields");
  const entries = rows.map(({ record, info }): RecordedEntry => {
    const given = names.flatMap((name, at) => (record[at] ? [[name, record[at]] as const] : []));
    return entryOf(Object.fromEntries(given), `line ${info.lines}`);
  });
  return { form: "CSV", byAdsim: false, entries };
}

interface CsvRow {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

function rowsIn(text: string): readonly CsvRow[] {
  const delimiter = delimiterIn(text);
  const options = { delimiter, bom: true, trim: true, skip_empty_lines: true, info: true } as const;
  try {
    // The package's types don't know what `info` changes.
    return parse(text, options) as unknown as readonly CsvRow[];
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new InputError("", `is not a recording: it is not CSV: ${error.message}. ${FORMS}`);
  }
}

/** What separates the names of the columns: spreadsheets write semicolons in some countries. */
function delimiterIn(text: string): string {
  const head = /\S.*/.exec(text)?.[0] ?? "";
  return [",", ";", "\t"].find((one) => head.includes(one)) ?? ",";
}

/** An empty field counts as left out. */
function entryOf(row: Row, place: string): RecordedEntry {
  const operation = operationIds.find((id) => id === row.operation);
  if (operation === undefined) {
    const sent = JSON.stringify(row.operation ?? "");
    const hint = didYouMean(row.operation ?? "", operationIds);
    throw new InputError(
      "",
      `has no operation ${sent} in ${place}.${hint || ` Choose from: ${formatList(operationIds, "or")}`}`,
    );
  }
  const known = Object.keys(operations[operation].parameters);
  const values = Object.fromEntries(
    known.flatMap((name) => (row[name] ? [[name, row[name]]] : [])),
  );
  const { method, path, query = "", headers = {}, body = "" } = buildRequest(operation, values, {});
  const { impression_id } = row;
  const status = statusIn(row, place);
  const answer = operation === "impression" && impression_id !== undefined ? { impression_id } : {};
  return {
    ...{ place, operation, publisher: row.publisher_id },
    at: row.at === undefined ? undefined : recordedInstant(row.at, `${place}: at`),
    request: { method, path, query: String(query), headers, body: String(body) },
    response: { status, headers: {}, body: JSON.stringify(answer) },
    leftOut: status > 0 ? undefined : "no-response",
  };
}

/** 0 and -1 stand for no answer. */
function statusIn({ status = "200" }: Row, place: string): number {
  if (/^(?:[1-5]\d\d|0|-1)$/.test(status)) return Number(status);
  throw new InputError(
    "",
    `has an invalid "status" in ${place}: it must be an HTTP status, such as 200`,
  );
}

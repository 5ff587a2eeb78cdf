/** Reads a trace in CSV as a recording: one request a row, with the columns of the API's parameters. */

import { CsvError, parse } from "csv-parse/sync";
import { didYouMean, formatList } from "../../base/did-you-mean.ts";
import { recordedInstant } from "../../journal/read-har.ts";
import { RecordingError } from "../../journal/read-recording.ts";
import type { RecordedExchange, Recording } from "../../journal/recorded-exchange.ts";
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

/** @throws RecordingError that says where it is wrong. */
export function readCsv(text: string): Recording {
  const [head, ...rows] = rowsIn(text);
  const names = head?.record ?? [];
  if (!names.some((name) => columns.includes(name))) {
    throw new RecordingError(`is not a recording: line 1 names no known column. ${FORMS}`);
  }
  for (const [index, name] of names.entries()) {
    if (!columns.includes(name)) {
      const hint = didYouMean(name, columns) || ` The columns are ${formatList(columns)}.`;
      throw new RecordingError(`has an unknown column ${JSON.stringify(name)} in line 1.${hint}`);
    }
    if (names.indexOf(name) < index)
      throw new RecordingError(`has the column ${name} twice in line 1`);
  }
  if (!names.includes("operation")) {
    throw new RecordingError(
      `has no column "operation": its first line must name the columns, some of ${formatList(columns)}`,
    );
  }
  if (rows.length === 0) throw new RecordingError("has no request: only line 1 has fields");
  const exchanges = rows.map(({ record, info }): RecordedExchange => {
    const given = names.flatMap((name, at) => (record[at] ? [[name, record[at]] as const] : []));
    return exchangeOf(Object.fromEntries(given), `line ${info.lines}`);
  });
  return { form: "CSV", byAdsim: false, exchanges };
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
    throw new RecordingError(`is not a recording: it is not CSV: ${error.message}. ${FORMS}`);
  }
}

/** What separates the names of the columns: spreadsheets write semicolons in some countries. */
function delimiterIn(text: string): string {
  const head = /\S.*/.exec(text)?.[0] ?? "";
  return [",", ";", "\t"].find((one) => head.includes(one)) ?? ",";
}

/** An empty field counts as left out. */
function exchangeOf(row: Row, place: string): RecordedExchange {
  const operation = operationIds.find((id) => id === row.operation);
  if (operation === undefined) {
    const sent = JSON.stringify(row.operation ?? "");
    const hint = didYouMean(row.operation ?? "", operationIds);
    throw new RecordingError(
      `has no operation ${sent} in ${place}.${hint || ` Choose from: ${formatList(operationIds, "or")}`}`,
    );
  }
  const known = Object.keys(operations[operation].parameters);
  const values = Object.fromEntries(
    known.flatMap((name) => (row[name] ? [[name, row[name]]] : [])),
  );
  const { method, path, query = "", headers = {}, body = "" } = buildRequest(operation, values, {});
  const { impression_id } = row;
  const answer = operation === "impression" && impression_id !== undefined ? { impression_id } : {};
  return {
    place,
    sequence: undefined,
    atMs: instantIn(row, place),
    publisher: row.publisher_id,
    request: { method, path, query: String(query), headers, body: String(body) },
    response: { status: statusIn(row, place), headers: {}, body: JSON.stringify(answer) },
    skip: undefined,
    world: undefined,
  };
}

function instantIn({ at }: Row, place: string): number | undefined {
  if (at === undefined) return undefined;
  // With fewer digits they would be seconds.
  const ms = /^\d{12,13}$/.test(at) ? Number(at) : recordedInstant(at);
  if (ms !== undefined) return ms;
  throw new RecordingError(
    `has an invalid "at" in ${place}: it must be in ISO 8601, such as 2026-01-15T09:30:00Z, or milliseconds since 1970`,
  );
}

function statusIn({ status = "200" }: Row, place: string): number {
  if (/^[1-5]\d\d$/.test(status)) return Number(status);
  throw new RecordingError(
    `has an invalid "status" in ${place}: it must be an HTTP status, such as 200`,
  );
}

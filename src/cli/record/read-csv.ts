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

/** By the column's name. Empty fields are left out. */
type Row = Readonly<Record<string, string>>;

/** Other columns are ignored. @throws InputError that says where it is wrong. */
export function readCsv(text: string): Recording {
  const [head, ...rows] = recordsIn(text);
  const names = (head?.record ?? []).map((name) => name.toLowerCase());
  if (!names.some((name) => columns.includes(name))) {
    throw new InputError("", `is not a recording: line 1 names no known column. ${FORMS}`);
  }
  if (!names.includes("operation")) {
    const hint = names.map((name) => didYouMean(name, ["operation"])).join("");
    throw new InputError(
      "",
      `has no column "operation": its first line must name the columns, some of ${formatList(columns)}.${hint}`,
    );
  }
  const twice = columns.find((name) => names.indexOf(name) !== names.lastIndexOf(name));
  if (twice !== undefined) throw new InputError("", `has the column ${twice} twice in line 1`);
  if (rows.length === 0) throw new InputError("", "has no request: only line 1 has fields");
  const entries = rows.map(({ record, info }): RecordedEntry => {
    const given = names.flatMap((name, at) => (record[at] ? [[name, record[at]] as const] : []));
    return entryOf(Object.fromEntries(given), `line ${info.lines}`);
  });
  return { form: "CSV", byAdsim: false, entries };
}

interface CsvRecord {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

function recordsIn(text: string): readonly CsvRecord[] {
  // Excel writes it to say what separates the columns.
  const [isSaid, said] = /^\ufeff?"?sep=(.)"?\r?\n/i.exec(text) ?? [];
  const head = /\S.*/.exec(text)?.[0] ?? "";
  const delimiter = said ?? [",", ";", "\t"].find((one) => head.includes(one)) ?? ",";
  const form = { delimiter, bom: true, trim: true, from_line: isSaid === undefined ? 1 : 2 };
  const reading = { skip_empty_lines: true, relax_column_count: true, info: true } as const;
  try {
    // The package's types don't know what `info` changes.
    return parse(text, { ...form, ...reading }) as unknown as readonly CsvRecord[];
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new InputError("", `is not a recording: it is not CSV: ${error.message}. ${FORMS}`);
  }
}

function entryOf(row: Row, place: string): RecordedEntry {
  const { impression_id, publisher_id: publisher, status: written = "200" } = row;
  const operation = operationIds.find((id) => id === row.operation?.toLowerCase());
  if (operation === undefined) {
    const hint =
      didYouMean(row.operation ?? "", operationIds) ||
      ` Choose from: ${formatList(operationIds, "or")}`;
    const sent = JSON.stringify(row.operation ?? "");
    throw new InputError("", `has no operation ${sent} in ${place}, column operation.${hint}`);
  }
  // 0 and -1 stand for no answer.
  if (!/^(?:[1-5]\d\d|0|-1)$/.test(written)) {
    throw new InputError("", `must have an HTTP status, such as 200, in ${place}, column status`);
  }
  const known = Object.keys(operations[operation].parameters);
  const values = Object.entries(row).filter(([name]) => known.includes(name));
  const built = buildRequest(operation, Object.fromEntries(values), {});
  const { method, path, query = "", headers = {}, body = "" } = built;
  const answer = operation === "impression" ? { impression_id } : {};
  const status = Number(written);
  return {
    ...{ place, operation, publisher },
    at: row.at === undefined ? undefined : recordedInstant(row.at, `${place}, column at:`),
    request: { method, path, query: String(query), headers, body: String(body) },
    response: { status, headers: {}, body: JSON.stringify(answer) },
    leftOut: status > 0 ? undefined : "no-response",
  };
}

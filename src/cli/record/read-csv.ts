/** Reads a trace in CSV as a recording: one request a row, with the columns of the API's parameters. */

import { CsvError, parse } from "csv-parse/sync";
import { didYouMean, formatList } from "../../base/did-you-mean.ts";
import { InputError } from "../../base/input.ts";
import {
  type RecordedEntry,
  type Recording,
  recordedInstant,
} from "../../journal/recorded-entry.ts";
import { buildRequest } from "../../spec/build-request.ts";
import { operationIds, operations } from "../../spec/operations.ts";

/** A row by the names of its columns. */
interface CsvRow {
  readonly record: Readonly<Record<string, string>>;
  readonly info: { readonly lines: number };
}

/** Other columns are ignored. @throws InputError that says where it is wrong. */
export function readCsv(text: string): Recording {
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

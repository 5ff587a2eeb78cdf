/** Writes the report files of a played scenario. */

import { indentedJson } from "../../base/text.ts";
import type { PlayResult } from "../../play/player/result.ts";
import { reportHtml } from "../../play/reports/report-html.ts";
import { reportJunit } from "../../play/reports/report-junit.ts";
import type { ReportTarget } from "../output/report-option.ts";
import { writeReports } from "../output/reports.ts";

/** @throws CommandFailure for a file that can't be written. */
export function writePlayReports(
  targets: readonly ReportTarget<"junit" | "json" | "html">[],
  result: PlayResult,
  stderr: NodeJS.WritableStream,
): Promise<void> {
  const texts = {
    junit: () => reportJunit(result),
    json: () => indentedJson(result),
    html: () => reportHtml(result),
  };
  return writeReports(targets, texts, stderr);
}

/** The reports of several scenarios in one file. @throws CommandFailure for a file that can't be written. */
export function writeAllReports(
  targets: readonly ReportTarget[],
  results: readonly PlayResult[],
  stderr: NodeJS.WritableStream,
): Promise<void> {
  const texts: Readonly<Record<string, () => string>> = {
    junit: () => reportJunit(...results),
    json: () => indentedJson({ version: 1, results }),
  };
  return writeReports(targets, texts, stderr);
}

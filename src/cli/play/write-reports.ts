/** Writes the report files of a played scenario. */

import { readChartLibrary } from "../../adapters/chart-library.ts";
import { indentedJson } from "../../base/text.ts";
import type { PlayResult } from "../../play/player/result.ts";
import { reportHtml } from "../../play/reports/report-html.ts";
import { reportJunit } from "../../play/reports/report-junit.ts";
import type { ReportTarget } from "../report-option.ts";
import { writeReports } from "../reports.ts";

/** @throws CommandFailure for a file that can't be written. */
export function writePlayReports(
  targets: readonly ReportTarget<"junit" | "json" | "html">[],
  result: PlayResult,
): Promise<void> {
  return writeReports(targets, {
    junit: () => reportJunit(result),
    json: () => indentedJson(result),
    html: async () => reportHtml(result, await readChartLibrary()),
  });
}

/** Writes the report files of a played scenario. */

import { readChartLibrary } from "../../adapters/chart-library.ts";
import type { PlayResult } from "../../scenario/player/result.ts";
import { reportHtml } from "../../scenario/reports/report-html.ts";
import { reportJson } from "../../scenario/reports/report-json.ts";
import { reportJunit } from "../../scenario/reports/report-junit.ts";
import type { ReportTarget } from "../report-option.ts";
import { writeReports } from "../reports.ts";

/** @throws CommandFailure for a file that can't be written. */
export function writePlayReports(
  targets: readonly ReportTarget<"junit" | "json" | "html">[],
  result: PlayResult,
): Promise<void> {
  return writeReports(targets, {
    junit: () => reportJunit(result),
    json: () => reportJson(result),
    html: async () => reportHtml(result, await readChartLibrary()),
  });
}

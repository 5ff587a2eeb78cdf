/** Writes the report files of a played scenario. */

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { indentedJson } from "../../base/text.ts";
import type { PlayResult } from "../../play/player/result.ts";
import { type ChartLibrary, reportHtml } from "../../play/reports/report-html.ts";
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
    html: async () => reportHtml(result, await readChartLibrary()),
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

export async function readChartLibrary(): Promise<ChartLibrary> {
  const { resolve } = createRequire(import.meta.url);
  const [uplotJs, uplotCss] = await Promise.all([
    readFile(resolve("uplot/dist/uPlot.iife.min.js"), "utf8"),
    readFile(resolve("uplot/dist/uPlot.min.css"), "utf8"),
  ]);
  return { uplotJs, uplotCss };
}

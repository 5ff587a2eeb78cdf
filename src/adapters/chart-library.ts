/** The chart library's files, as reports take them into their pages. */

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { ChartLibrary } from "../play/reports/report-html.ts";

export async function readChartLibrary(): Promise<ChartLibrary> {
  const { resolve } = createRequire(import.meta.url);
  const [uplotJs, uplotCss] = await Promise.all([
    readFile(resolve("uplot/dist/uPlot.iife.min.js"), "utf8"),
    readFile(resolve("uplot/dist/uPlot.min.css"), "utf8"),
  ]);
  return { uplotJs, uplotCss };
}

/** The report as a page, as far as no browser is needed. */

import { expect, test } from "vitest";
import { readChartLibrary } from "../../../src/cli/play/write-reports.ts";
import { reportHtml } from "../../../src/play/reports/report-html.ts";
import { brokenResult, playResult } from "./play-results.ts";

const library = await readChartLibrary();

test("the same result gives the same bytes, and another result other bytes", () => {
  expect(reportHtml(brokenResult(), library)).toBe(reportHtml(brokenResult(), library));
  expect(reportHtml(brokenResult(), library)).not.toBe(reportHtml(playResult(), library));
});

test("a library that contains a script's end tag doesn't end the script", () => {
  const uplotJs = 'const uPlot = "</script><!-- <script>";';
  const page = reportHtml(playResult(), { uplotJs, uplotCss: "" });
  expect(page).toContain(String.raw`"\x3c/script>\x3c!-- <script>"`);
  expect(page.match(/<\/script>/g)).toHaveLength(3);
});

/** The report files of played scenarios, by kind. */

import { indentedJson } from "../../base/text.ts";
import type { PlayResult } from "../../play/player/result.ts";
import { reportHtml } from "../../play/reports/report-html.ts";
import { reportJunit } from "../../play/reports/report-junit.ts";

/** Of several results, `junit` has a suite each, and `json` a list. */
export function reportFiles(results: readonly PlayResult[]) {
  const [only] = results;
  return {
    junit: () => reportJunit(...results),
    json: () => indentedJson(results.length === 1 ? only : { version: 1, results }),
    html: () => (only === undefined ? "" : reportHtml(only)),
  };
}

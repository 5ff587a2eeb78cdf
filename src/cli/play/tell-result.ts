/** Prints the result of a play, writes its report files, and gives the exit code. */

import { indentedJson } from "../../base/text.ts";
import type { PlayResult, Result } from "../../play/player/result.ts";
import { reportText } from "../../play/reports/report-text.ts";
import { exitCodes } from "../output/exit.ts";
import { isColourful, say } from "../output/say.ts";
import type { HostProcess } from "../processes/host-process.ts";
import type { PlayFlags } from "./play-options.ts";

/** An unknown result mustn't pass either. */
export const exitCodeOf: Readonly<Record<Result, number>> = {
  passed: exitCodes.fine,
  failed: exitCodes.checkFailed,
  undecided: exitCodes.checkFailed,
};

/** Writes the report files first: when the text appears, they exist. */
export async function tellResult(
  result: PlayResult,
  { report = [], json }: Pick<PlayFlags, "report" | "json">,
  { stdout, stderr, env }: HostProcess,
): Promise<number> {
  if (report.length > 0) {
    const { writePlayReports } = await import("./write-reports.ts");
    await writePlayReports(report, result, stderr);
  }
  if (json === true) say(indentedJson(result), stdout);
  const stream = json === true ? stderr : stdout;
  stream.write(reportText(result, { colour: isColourful(stream, env) }));
  if (result.result === "undecided") {
    stderr.write(
      "adsim: it is unknown whether the scenario holds; exit code 0 is only for one that held.\n",
    );
  }
  return exitCodeOf[result.result];
}

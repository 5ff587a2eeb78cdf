/** The options of `adsim matrix` that no other command has. Checks form only, and loads nothing else: help must come at once. */

import { type Command, Option } from "commander";
import { type AnswerFlags, wholeNumber } from "../options/common-options.ts";
import { type ReportTarget, reportOption } from "../output/report-option.ts";

const strengths = ["1", "2", "3"] as const;
const reportKinds = ["junit", "json"] as const;

export interface MatrixFlags extends AnswerFlags {
  readonly strength: (typeof strengths)[number];
  /** @default one for each core */
  readonly jobs?: number;
  readonly timeLimit: string;
  readonly only?: readonly string[];
  readonly report?: readonly ReportTarget<(typeof reportKinds)[number]>[];
  readonly keepOutput?: string;
}

export function addMatrixOptions(command: Command): Command {
  return command
    .addOption(
      new Option("--strength <number>", "how many choices to try in all combinations")
        .choices(strengths)
        .default("2"),
    )
    .option(
      "--jobs <count>",
      "how many CMDs may run at the same time (default: one for each core)",
      wholeNumber(1, 999_999),
    )
    .option("--time-limit <duration>", "how long a CMD may run, such as 90s", "5m")
    .option("--only <KEY,KEY>", "vary only these keys; repeatable", collectKeys)
    .addOption(reportOption(reportKinds))
    .option(
      "--keep-output <folder>",
      "the folder for the whole output of failing runs (default: a new temporary folder)",
    );
}

function collectKeys(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, ...text.split(",").map((key) => key.trim())];
}

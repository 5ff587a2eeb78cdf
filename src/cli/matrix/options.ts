/** The options of `adsim matrix` that no other command has. Checks form only, and loads nothing else: help must come at once. */

import { type Command, InvalidArgumentError, Option } from "commander";
import type { AnswerFlags } from "../options.ts";

const strengths = ["1", "2", "3"] as const;

export interface MatrixFlags extends AnswerFlags {
  readonly strength: (typeof strengths)[number];
  /** @default one for each core */
  readonly jobs?: number;
  readonly timeLimit: string;
  readonly only?: readonly string[];
  readonly report?: readonly ReportTarget[];
  readonly keepOutput?: string;
}

/** A file to write a report to. */
export interface ReportTarget {
  readonly kind: "junit" | "json";
  readonly file: string;
}

export function addMatrixOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        "--strength <number>",
        "how many choices at a time are tried in all combinations: 1, 2 or 3",
      )
        .choices(strengths)
        .default("2"),
    )
    .option(
      "--jobs <count>",
      "how many CMDs may run at a time (default: one for each core)",
      positive,
    )
    .option("--time-limit <duration>", "how long CMD may run, such as 90s", "5m")
    .option("--only <KEY,KEY>", "vary these keys alone, repeatable", collectKeys)
    .option(
      "--report <KIND=FILE>",
      "write a report to a file: junit=FILE, json=FILE, or both with a comma; repeatable",
      collectReports,
    )
    .option(
      "--keep-output <folder>",
      "where the whole output of failing runs is kept (default: a new temporary folder)",
    );
}

function positive(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number from 1 to 999999.");
}

function collectKeys(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, ...text.split(",").map((key) => key.trim())];
}

function collectReports(
  text: string,
  before: readonly ReportTarget[] = [],
): readonly ReportTarget[] {
  // A comma belongs to a path unless another kind follows.
  const targets = text.split(/,(?=[a-z]+=)/).map((part): ReportTarget => {
    const at = part.indexOf("=");
    const kind = part.slice(0, at);
    const file = part.slice(at + 1);
    if ((kind === "junit" || kind === "json") && at > 0 && file !== "") return { kind, file };
    throw new InvalidArgumentError("It must be junit=FILE, json=FILE, or both with a comma.");
  });
  return [...before, ...targets];
}

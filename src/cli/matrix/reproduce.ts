/** The line that runs CMD once more as a matrix ran it. */

import { commandLine } from "../../base/shell.ts";
import type { Departures } from "./departures.ts";
import type { Findings } from "./findings.ts";

/** For a POSIX shell, on one line unless an argument of CMD has more. */
export function reproduceLine({ words, flags, plan }: Findings, departures: Departures): string {
  const option = (name: string, value: string | number | undefined): string[] =>
    value === undefined ? [] : [name, String(value)];
  return commandLine([
    ...["adsim", "exec"],
    ...option("--seed", flags.seed),
    ...option("--start", flags.start),
    ...option("--clock", flags.clock),
    ...option("--publishers", flags.publishers),
    ...option("--profile", flags.profile),
    ...(flags.explain === true ? ["--explain"] : []),
    ...[...plan.pins, ...departures].flatMap((choice) => ["--assume", choice]),
    ...["--", ...words],
  ]);
}

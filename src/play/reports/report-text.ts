/** A result for a terminal: the most important first, short for what passed, and detailed for what failed. */

import { printable, shortened } from "../../base/text.ts";
import { plural, readableCount } from "../measure/quantities.ts";
import type { PlayResult, StepResult } from "../player/result.ts";
import {
  detailLines,
  outcomeLines,
  paragraphs,
  resultCounts,
  resultSigns,
  stepLine,
} from "./lines.ts";

export interface ReportTextOptions {
  /** Whether to colour results with ANSI codes. @default false */
  readonly colour?: boolean | undefined;
}

/** If more steps passed than this, they are only counted. */
const MAX_PASSED = 4;
/** At most this many items of any other kind are listed. */
const MAX_LISTED = 20;
const MAX_COLUMNS = 400;

export function reportText(play: PlayResult, { colour = false }: ReportTextOptions = {}): string {
  const paint: Paint = (result, text = resultSigns[result]) =>
    colour ? `\u001b[${codes[result]}m${text}\u001b[0m` : text;
  return paragraphs([
    head(play, paint),
    steps(play, paint),
    [...invariants(play, paint), ...thresholds(play, paint)],
    [`Reproduce: ${printable(play.reproduce)}`],
  ]);
}

type Lines = readonly string[];
/** `text`: the result's sign if it isn't given. */
type Paint = (result: StepResult["result"], text?: string) => string;

const codes = { passed: 32, failed: 31, undecided: 33, skipped: 33, done: 2 } as const;

function head(play: PlayResult, paint: Paint): Lines {
  const { scenario, result, why, runId } = play;
  return [
    `${paint(result, `${resultSigns[result]} ${result}`)}  ${printable(scenario.name)}: ${cut(why)}`,
    ...outcomeLines(play).map((line) => `  ${line}`),
    ...(runId === undefined ? [] : [`  run id ${printable(runId)}, a part of every session id`]),
  ];
}

/** The steps with their results. Steps without expectations are left out. */
function steps({ steps: all, skipped }: PlayResult, paint: Paint): Lines {
  const passed = all.filter(({ result }) => result === "passed").length;
  const isCounted = passed > MAX_PASSED;
  const listed = all.filter(
    ({ result }) => result !== "done" && !(isCounted && result === "passed"),
  );
  const more = listed.length - MAX_LISTED;
  const known = new Set(all.map(({ path }) => path));
  const elsewhere = skipped.filter(({ path }) => !known.has(path)).slice(0, MAX_LISTED);
  return [
    ...listed.slice(0, MAX_LISTED).flatMap((step) => stepLines(step, paint)),
    ...elsewhere.map(({ path, why }) => `${paint("skipped")} ${printable(path)}  ${cut(why)}`),
    ...(isCounted ? [`${paint("passed")} ${plural(passed, "step")} passed`] : []),
    ...(more > 0 ? [`… and ${plural(more, "more step")}: --report html=FILE shows them all`] : []),
  ];
}

function stepLines(step: StepResult, paint: Paint): Lines {
  const { result } = step;
  const line = `${paint(result)} ${stepLine(step)}`;
  if (result === "passed" || result === "done") return [line];
  const details = detailLines(step);
  if (result !== "failed") return [`${line}: ${result}, ${cut(details[0] ?? "")}`];
  return [line, ...details.map((detail) => `    ${cut(detail)}`)];
}

function invariants({ invariants: all }: PlayResult, paint: Paint): Lines {
  if (all.length === 0) return [];
  const judged = all.filter(({ result }) => result !== "undecided");
  const open = all.length - judged.length;
  const rest = `${readableCount(open)} could not be checked in this play (--json says why)`;
  const parts = [resultCounts(judged), open === 0 ? "" : rest].filter((part) => part !== "");
  const failed = judged.filter(({ result }) => result === "failed");
  const lines = failed.map(({ id, says, why = "" }) => cut(`${id} ${says}: ${why}`));
  return [
    `Invariants: ${parts.join("; ")}`,
    ...lines.map((line) => `  ${paint("failed")} ${line}`),
  ];
}

function thresholds({ thresholds: all }: PlayResult, paint: Paint): Lines {
  return all.map(
    ({ threshold, result, found }) =>
      `${paint(result)} ${printable(threshold)}: ${result}, ${printable(found)}`,
  );
}

function cut(text: string): string {
  return shortened(printable(text), MAX_COLUMNS);
}

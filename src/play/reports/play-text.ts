/** A result for a terminal: the most important first, short for what passed, and detailed for what failed. */

import { printable, shortened } from "../../base/text.ts";
import { plural } from "../measure/quantities.ts";
import type { PlayResult, StepResult } from "../player/result.ts";
import {
  detailLines,
  outcomeLines,
  paragraphs,
  resultCounts,
  resultSigns,
  stepLine,
} from "./lines.ts";

/** A text, after the sign of its result if it has one. */
type Line = string | readonly [result: StepResult["result"], text: string];
type Lines = readonly Line[];

const MAX_COLUMNS = 400;
/** At most this many steps are listed. */
const MAX_STEPS = 20;

const colours = { passed: 32, failed: 31, undecided: 33, skipped: 33, done: 2 } as const;

/** `colour`: whether to colour results with ANSI codes. */
export function playText(play: PlayResult, { colour = false } = {}): string {
  function written(line: Line): string {
    if (typeof line === "string") return shortened(printable(line), MAX_COLUMNS);
    const [result, text] = line;
    const sign = resultSigns[result];
    const painted = colour ? `\u001b[${colours[result]}m${sign}\u001b[0m` : sign;
    return `${painted} ${written(text)}`;
  }
  const sections = [head(play), steps(play), [...invariants(play), ...thresholds(play)]];
  return paragraphs([
    ...sections.map((lines) => lines.map(written)),
    [`Reproduce: ${printable(play.reproduce)}`],
  ]);
}

function head(play: PlayResult): Lines {
  const { scenario, result, why, runId } = play;
  return [
    [result, `${result}  ${scenario.name}: ${why}`],
    ...outcomeLines(play).map((line) => `  ${line}`),
    ...(runId === undefined ? [] : [`  run id ${runId}, a part of every session id`]),
  ];
}

/** The steps that didn't pass. The others are only counted. */
function steps({ steps: all, skipped }: PlayResult): Lines {
  const listed: readonly Lines[] = [
    ...all.filter(({ result }) => result === "failed" || result === "undecided").map(stepLines),
    ...skipped.map(({ path, why }): Lines => [["skipped", `${path}: skipped, ${why}`]]),
  ];
  const more = listed.length - MAX_STEPS;
  const passed = all.filter(({ result }) => result === "passed").length;
  return [
    ...listed.slice(0, MAX_STEPS).flat(),
    ...(more > 0 ? [`… and ${plural(more, "more step")}: --report json=FILE has them all`] : []),
    ...(passed > 0 ? [["passed", `${plural(passed, "step")} passed`] as const] : []),
  ];
}

function stepLines(step: StepResult): Lines {
  const { result, why } = step;
  if (result === "undecided") return [[result, `${stepLine(step)}: undecided, ${why}`]];
  return [[result, stepLine(step)], ...detailLines(step).map((detail) => `    ${detail}`)];
}

function invariants({ invariants: all }: PlayResult): Lines {
  const failed = all.filter(({ result }) => result === "failed");
  return [
    `Invariants: ${resultCounts(all)} (--json shows each)`,
    ...failed.map(({ id, says, why }): Line => ["failed", `${id} ${says}: ${why}`]),
  ];
}

function thresholds({ thresholds: all }: PlayResult): Lines {
  return all.map(({ threshold, result, found }) => [result, `${threshold}: ${result}, ${found}`]);
}

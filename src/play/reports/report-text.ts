/** A result for a terminal: the most important first, short for what held, and detailed for what is broken. */

import { printable, shortened } from "../../base/text.ts";
import { plural, readableCount, readableDuration, readableMs } from "../measure/quantities.ts";
import { restsInWords } from "../player/matching.ts";
import type { Check, PlayResult, StepResult } from "../player/result.ts";
import {
  answerLine,
  journalLine,
  paragraphs,
  requestLine,
  resultCounts,
  resultSigns,
  stepLine,
  tallyLine,
  targetLine,
} from "./lines.ts";

export interface ReportTextOptions {
  /** Whether to colour verdicts with ANSI codes. @default false */
  readonly colour?: boolean | undefined;
}

/** If more steps held than this, they are only counted. */
const MAX_HELD = 4;
/** At most this many items of any other kind are listed. */
const MAX_LISTED = 20;
const MAX_COLUMNS = 400;

export function reportText(result: PlayResult, { colour = false }: ReportTextOptions = {}): string {
  const paint = colour ? coloured : plain;
  return paragraphs([
    head(result, paint),
    steps(result, paint),
    [...invariants(result, paint), ...thresholds(result, paint)],
    [`Reproduce: ${printable(result.reproduce)}`],
  ]);
}

type Lines = readonly string[];
type Paint = (result: StepResult["result"], text: string) => string;

const codes: Readonly<Record<StepResult["result"], number>> = {
  passed: 32,
  failed: 31,
  undecided: 33,
  skipped: 33,
  done: 2,
};
const plain: Paint = (_, text) => text;
const coloured: Paint = (result, text) => `\u001b[${codes[result]}m${text}\u001b[0m`;

function head({ scenario, result, why, ...play }: PlayResult, paint: Paint): Lines {
  const { target, tally, latency, startedAt, endedAt, runId } = play;
  const tookMs = Math.max(Date.parse(endedAt) - Date.parse(startedAt), 0);
  const waited =
    latency === undefined || latency.max === 0
      ? []
      : [
          `  latency p50 ${readableMs(latency.p50)}, p95 ${readableMs(latency.p95)}, p99 ${readableMs(latency.p99)}, max ${readableMs(latency.max)}`,
        ];
  return [
    `${paint(result, `${resultSigns[result]} ${result}`)}  ${printable(scenario.name)}: ${cut(why)}`,
    `  ${targetLine(target)}, ${readableDuration(tookMs)}; ${tallyLine(tally)}`,
    ...waited,
    ...(runId === undefined ? [] : [`  run id ${printable(runId)}, a part of every session id`]),
  ];
}

/** The steps with their verdicts. Steps without expectations are left out. */
function steps({ steps: all, skipped }: PlayResult, paint: Paint): Lines {
  const held = all.filter(({ result }) => result === "passed");
  const listsHeld = held.length <= MAX_HELD;
  const listed = all.filter(
    ({ result }) => result !== "done" && (listsHeld || result !== "passed"),
  );
  const shown = listed.slice(0, MAX_LISTED);
  const summary = [
    ...(listsHeld
      ? []
      : [`${paint("passed", resultSigns.passed)} ${plural(held.length, "expectation")} held`]),
    ...(listed.length > shown.length
      ? [
          `… and ${plural(listed.length - shown.length, "more step")}: --report html=FILE shows them all`,
        ]
      : []),
  ];
  const known = new Set(all.map(({ path }) => path));
  const elsewhere = skipped
    .filter(({ path }) => !known.has(path))
    .slice(0, MAX_LISTED)
    .map(
      ({ path, why }) => `${paint("skipped", resultSigns.skipped)} ${printable(path)}  ${cut(why)}`,
    );
  return [...shown.flatMap((step) => stepLines(step, paint)), ...elsewhere, ...summary];
}

function stepLines(step: StepResult, paint: Paint): Lines {
  const { result, checks } = step;
  const line = `${paint(result, resultSigns[result])} ${stepLine(step)}`;
  switch (result) {
    case "passed":
    case "done":
      return [line];
    case "undecided":
    case "skipped": {
      const unknown = checks.find((check) => check.result === "undecided");
      const about = unknown?.why === undefined ? "" : `${printable(unknown.about)}: ${unknown.why}`;
      return [`${line}: ${result}, ${cut(step.why ?? about)}`];
    }
    case "failed":
      return [line, ...brokenLines(step)];
  }
}

function brokenLines({ why, checks, exchange, tally, journal }: StepResult): Lines {
  const open = checks.filter(({ result }) => result !== "passed");
  const asked =
    exchange === undefined
      ? []
      : [
          `    request   ${cut(requestLine(exchange))}`,
          `    answer    ${cut(answerLine(exchange))}`,
        ];
  const seen =
    journal === undefined || journal.length === 0
      ? []
      : [
          "    the service's journal",
          ...journal.map((entry) => `      ${cut(journalLine(entry))}`),
        ];
  return [
    ...(why === undefined ? [] : [`    ${cut(why)}`]),
    ...open.flatMap(checkLines),
    ...asked,
    ...(tally === undefined ? [] : [`    ${tallyLine(tally)}`]),
    ...seen,
  ];
}

/** Expected and found on adjacent lines, for easy comparison. */
function checkLines(check: Check): Lines {
  const { result, about, expected, found, why } = check;
  const rests = restsInWords(check);
  if (result === "undecided") return [`    ${printable(about)}: unknown, ${cut(why ?? "")}`];
  return [
    `    ${printable(about)}`,
    `      expected  ${cut(expected)}`,
    `      found     ${cut(found)}`,
    ...(rests === "" ? [] : [`      ${rests}`]),
  ];
}

function invariants({ invariants: all }: PlayResult, paint: Paint): Lines {
  if (all.length === 0) return [];
  const broken = all.filter(({ result }) => result === "failed");
  const unknown = all.filter(({ result }) => result === "undecided").length;
  const known = resultCounts(all.filter(({ result }) => result !== "undecided"));
  const rest = `${readableCount(unknown)} could not be checked in this play (--json says why)`;
  return [
    `Invariants: ${[known, unknown === 0 ? "" : rest].filter((part) => part !== "").join("; ")}`,
    ...broken.map(
      ({ id, says, why }) =>
        `  ${paint("failed", resultSigns.failed)} ${id} ${printable(says)}: ${cut(why ?? "")}`,
    ),
  ];
}

function thresholds({ thresholds: all }: PlayResult, paint: Paint): Lines {
  return all.map(
    ({ threshold, result, found }) =>
      `${paint(result, resultSigns[result])} ${printable(threshold)}: ${result}, ${printable(found)}`,
  );
}

function cut(text: string): string {
  return shortened(printable(text), MAX_COLUMNS);
}

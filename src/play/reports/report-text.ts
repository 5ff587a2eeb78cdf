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
  stepLine,
  tallyLine,
  targetLine,
  verdictCounts,
  verdictSigns,
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
type Paint = (verdict: StepResult["verdict"], text: string) => string;

const codes: Readonly<Record<StepResult["verdict"], number>> = {
  held: 32,
  broken: 31,
  unknown: 33,
  skipped: 33,
  done: 2,
};
const plain: Paint = (_, text) => text;
const coloured: Paint = (verdict, text) => `\u001b[${codes[verdict]}m${text}\u001b[0m`;

function head({ scenario, verdict, why, ...result }: PlayResult, paint: Paint): Lines {
  const { target, tally, latency, startedAt, endedAt, runId } = result;
  const tookMs = Math.max(Date.parse(endedAt) - Date.parse(startedAt), 0);
  const waited =
    latency === undefined || latency.max === 0
      ? []
      : [
          `  latency p50 ${readableMs(latency.p50)}, p95 ${readableMs(latency.p95)}, p99 ${readableMs(latency.p99)}, max ${readableMs(latency.max)}`,
        ];
  return [
    `${paint(verdict, `${verdictSigns[verdict]} ${verdict}`)}  ${printable(scenario.name)}: ${cut(why)}`,
    `  ${targetLine(target)}, ${readableDuration(tookMs)}; ${tallyLine(tally)}`,
    ...waited,
    ...(runId === undefined ? [] : [`  run id ${printable(runId)}, a part of every session id`]),
  ];
}

/** The steps with their verdicts. Steps without expectations are left out. */
function steps({ steps: all, skipped }: PlayResult, paint: Paint): Lines {
  const held = all.filter(({ verdict }) => verdict === "held");
  const listsHeld = held.length <= MAX_HELD;
  const listed = all.filter(
    ({ verdict }) => verdict !== "done" && (listsHeld || verdict !== "held"),
  );
  const shown = listed.slice(0, MAX_LISTED);
  const summary = [
    ...(listsHeld
      ? []
      : [`${paint("held", verdictSigns.held)} ${plural(held.length, "expectation")} held`]),
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
      ({ path, why }) =>
        `${paint("skipped", verdictSigns.skipped)} ${printable(path)}  ${cut(why)}`,
    );
  return [...shown.flatMap((step) => stepLines(step, paint)), ...elsewhere, ...summary];
}

function stepLines(step: StepResult, paint: Paint): Lines {
  const { verdict, checks } = step;
  const line = `${paint(verdict, verdictSigns[verdict])} ${stepLine(step)}`;
  switch (verdict) {
    case "held":
    case "done":
      return [line];
    case "unknown":
    case "skipped": {
      const unknown = checks.find((check) => check.verdict === "unknown");
      const about = unknown?.why === undefined ? "" : `${printable(unknown.about)}: ${unknown.why}`;
      return [`${line}: ${verdict}, ${cut(step.why ?? about)}`];
    }
    case "broken":
      return [line, ...brokenLines(step)];
  }
}

function brokenLines({ why, checks, exchange, tally, journal }: StepResult): Lines {
  const open = checks.filter(({ verdict }) => verdict !== "held");
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
  const { verdict, about, expected, found, why } = check;
  const rests = restsInWords(check);
  if (verdict === "unknown") return [`    ${printable(about)}: unknown, ${cut(why ?? "")}`];
  return [
    `    ${printable(about)}`,
    `      expected  ${cut(expected)}`,
    `      found     ${cut(found)}`,
    ...(rests === "" ? [] : [`      ${rests}`]),
  ];
}

function invariants({ invariants: all }: PlayResult, paint: Paint): Lines {
  if (all.length === 0) return [];
  const broken = all.filter(({ verdict }) => verdict === "broken");
  const unknown = all.filter(({ verdict }) => verdict === "unknown").length;
  const known = verdictCounts(all.filter(({ verdict }) => verdict !== "unknown"));
  const rest = `${readableCount(unknown)} could not be checked in this play (--json says why)`;
  return [
    `Invariants: ${[known, unknown === 0 ? "" : rest].filter((part) => part !== "").join("; ")}`,
    ...broken.map(
      ({ id, says, why }) =>
        `  ${paint("broken", verdictSigns.broken)} ${id} ${printable(says)}: ${cut(why ?? "")}`,
    ),
  ];
}

function thresholds({ thresholds: all }: PlayResult, paint: Paint): Lines {
  return all.map(
    ({ threshold, verdict, found }) =>
      `${paint(verdict, verdictSigns[verdict])} ${printable(threshold)}: ${verdict}, ${printable(found)}`,
  );
}

function cut(text: string): string {
  return shortened(printable(text), MAX_COLUMNS);
}

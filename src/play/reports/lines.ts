/** Formats parts of a result as single lines, for all kinds of reports. These make foreign text harmless. */

import { shortened } from "../../base/text.ts";
import type { JournalEntry } from "../../journal/entry.ts";
import {
  plural,
  readableCount,
  readableDuration,
  readableInr,
  readableMs,
} from "../measure/quantities.ts";
import type { TallySummary } from "../measure/tally.ts";
import { whyLatenciesAreDoubtful } from "../measure/thresholds.ts";
import { restsInWords } from "../player/matching.ts";
import type { Check, PlayResult, Result, ShownExchange, StepResult } from "../player/result.ts";

/** The sign of each result, so that reports don't rely on colour alone. */
export const resultSigns: Readonly<Record<StepResult["result"], string>> = {
  passed: "✓",
  failed: "✗",
  undecided: "?",
  skipped: "–",
  done: "·",
};

/** Joins sections with an empty line between them, and leaves out empty ones. */
export function paragraphs(sections: readonly (readonly string[])[]): string {
  return `${sections
    .filter(({ length }) => length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}

const WIDTH = 100;

/** Breaks a text between words into lines of at most 100 characters. */
export function wrapped(text: string, indent: string): string[] {
  const lines: string[] = [];
  let line = indent;
  for (const word of text.split(" ")) {
    const isFull = line.length + word.length + 1 > WIDTH && line.trim() !== "";
    if (isFull) lines.push(line);
    line = isFull || line === indent ? `${indent}${word}` : `${line} ${word}`;
  }
  return [...lines, line];
}

/** Where and how long it was played, what became of the requests, and how long they took. */
export function outcomeLines({ target, tally, latency, startedAt, endedAt }: PlayResult): string[] {
  const { kind, url, time, speed } = target;
  const where = url === undefined ? "in process" : `${kind} at ${url}`;
  const fast = speed === undefined || speed === 1 ? "" : ` at ${speed} times the speed`;
  const took = readableDuration(Math.max(Date.parse(endedAt) - Date.parse(startedAt), 0));
  const lines = [`${where}, ${time} time${fast}, ${took}; ${tallyLine(tally)}`];
  if (latency === undefined || latency.max === 0) return lines;
  const figures = (["p50", "p95", "p99", "max"] as const).map(
    (name) => `${name} ${readableMs(latency[name])}`,
  );
  const doubt = whyLatenciesAreDoubtful(tally);
  lines.push(`latency ${figures.join(", ")}`);
  return doubt === undefined ? lines : [...lines, `careful: ${doubt}`];
}

/** "12 requests: 10 ok, 1 refused, 1 lost; 2.5 INR credited". Leaves out zero counts. */
function tallyLine(tally: TallySummary): string {
  const { sent, ok, refused, failed, cut, lost, timedOut, late, dropped, creditedInr } = tally;
  const others = sent - ok - refused - failed - cut - lost - timedOut;
  const counts = countsInWords({
    ...{ ok, "with another status": others, refused, failed, cut, lost },
    ...{ "timed out": timedOut, late, dropped },
  });
  const credited = creditedInr === 0 ? "" : `; ${readableInr(creditedInr)} credited`;
  return `${plural(sent, "request")}${counts === "" ? "" : `: ${counts}`}${credited}`;
}

/** A step's path, its title, and how often it was played. */
export function stepLine({ path, title, times }: StepResult): string {
  const often = times > 1 ? ` × ${readableCount(times)}` : "";
  return `${path}  ${title}${often}`;
}

/** What there is to know about a step: why it isn't passed, its request and answer, its tally, and the service's journal. */
export function detailLines(step: StepResult): readonly string[] {
  const { why, checks, exchange, tally, journal = [] } = step;
  return [
    ...(why === undefined ? [] : [why]),
    ...checks.filter(({ result }) => result !== "passed").flatMap(checkLines),
    ...(exchange === undefined ? [] : [`request   ${requestLine(exchange)}`]),
    ...(exchange === undefined ? [] : [`answer    ${answerLine(exchange)}`]),
    ...(tally === undefined ? [] : [tallyLine(tally)]),
    ...(journal.length === 0 ? [] : ["the service's journal"]),
    ...journal.map((entry) => `  ${journalLine(entry)}`),
  ];
}

/** Expected and found on adjacent lines, for easy comparison. */
function checkLines(check: Check): readonly string[] {
  const { result, about, expected, found, why = "" } = check;
  if (result === "undecided") return [`${about}: ${why}`];
  const lines = [about, `  expected  ${expected}`, `  found     ${found}`];
  const rests = restsInWords(check);
  return rests === "" ? lines : [...lines, `  ${rests}`];
}

/** "POST /v1/impression?a=b {…}". */
function requestLine({ request }: Pick<ShownExchange, "request">): string {
  const { method, path, query, body } = request;
  const search = query === "" ? "" : `?${query}`;
  return `${method} ${path}${search} ${body}`.trimEnd();
}

/** "200 after 5 ms {…}", "200, cut {…" or "lost (ECONNRESET)". */
function answerLine({ outcome, status, latencyMs, body, why }: ShownExchange): string {
  const ending = outcome === "answered" ? status : status === 0 ? outcome : `${status}, ${outcome}`;
  const after = latencyMs === 0 ? "" : ` after ${readableMs(latencyMs)}`;
  const reason = why === undefined ? "" : ` (${why})`;
  return `${ending}${after}${reason} ${body}`.trimEnd();
}

/** "#41 2026-01-15T00:00:00.250Z POST /v1/impression → 429 rate limited". */
function journalLine(entry: JournalEntry): string {
  const { sequence, at, request, response, reason, fault } = entry;
  const status = response.status === 0 ? "no answer" : String(response.status);
  const by = fault === undefined ? "" : `, fault rule ${fault.rule}`;
  const asked = shortened(requestLine({ request }), 120);
  return `#${sequence} ${at} ${asked} → ${status} (${reason}${by})`;
}

/** "1 failed, 12 passed". */
export function resultCounts(all: readonly { readonly result: string }[]): string {
  const of = (result: Result): number => all.filter((one) => one.result === result).length;
  const [failed, passed, undecided] = [of("failed"), of("passed"), of("undecided")];
  return countsInWords({ failed, passed, undecided });
}

/** Leaves out zero counts. */
function countsInWords(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([what, count]) => `${readableCount(count)} ${what}`)
    .join(", ");
}

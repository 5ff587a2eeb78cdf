/** The client report as text: counts, then the findings, those that cost money first. */

import type { Finding } from "../../audit/findings/finding.ts";
import { counted } from "../../base/counted.ts";
import { printable } from "../../base/text.ts";
import { paragraphs, wrapped } from "../../play/reports/lines.ts";
import type { RunReport } from "./run-report.ts";

const IN_PROCESS =
  "CMD sent no request to the server: simulators in its own process answered them. This report isn't about those.";

/** @param isInProcess Whether simulators in CMD's own processes answered requests. @param advice For a client that sent none. */
export function reportText(report: RunReport, isInProcess: boolean, advice: string): string {
  const { requests, kept, copies, findings, notes, worlds, ended } = report;
  const forgotten = requests === kept ? "" : `, of which the last ${kept} were kept`;
  const twice = copies === 0 ? "" : `, ${copies} of them copies made by a fault rule`;
  const hint = isInProcess ? IN_PROCESS : `CMD sent no request to adsim. ${advice}`;
  const gone = ended.length === 0 ? "" : ` (${ended.length} of them reset, deleted or dropped)`;
  const where = worlds <= 1 && gone === "" ? "" : ` to ${counted(worlds, "world")}${gone}`;
  const head = `adsim: ${counted(requests, "request")}${where}${forgotten}${twice}`;
  const sections = [
    [head, ...(requests > 0 ? [] : [hint]), ...counts(report)],
    notes.flatMap((note) => wrapped(`Note: ${note}`, "")),
    verdict(report),
    ...findings.map(finding),
  ];
  return paragraphs(sections.map((lines) => lines.map(printable)));
}

function counts({ operations, faults }: RunReport): readonly string[] {
  const rows = Object.entries(operations).map(([operation, statuses]) => {
    const each = Object.entries(statuses).map(
      ([status, count]) => `${status === "0" ? "no answer" : status} × ${count}`,
    );
    return row(operation === "none" ? "not in the API" : operation, each);
  });
  const fired = Object.entries(faults).map(([rule, count]) => `${rule} × ${count}`);
  return fired.length === 0 ? rows : [...rows, row("faults", fired)];
}

function row(name: string, cells: readonly string[]): string {
  return `  ${name.padEnd(16)}${cells.join(", ")}`;
}

function verdict({ kept, findings, notes }: RunReport): readonly string[] {
  if (kept === 0) return [];
  const { length } = findings;
  if (length > 0) return [`${counted(length, "finding")}:`];
  return [`No findings${notes.length === 0 ? "." : ", as far as can be told."}`];
}

function finding({ title, count, who, explanation, spec, example }: Finding): readonly string[] {
  const source = spec === undefined ? "" : ` (spec ${spec})`;
  return [
    `✗ ${title}: ${counted(count, "request")} ${by(who)}`,
    `    ${example}`,
    ...wrapped(`${explanation}${source}`, "    "),
  ];
}

function by(who: Finding["who"]): string {
  const [first, ...others] = who;
  const name = first?.publisher;
  const whose = name === undefined ? "without a valid key" : `by ${name}`;
  return others.length === 0 ? whose : `${whose} (${first?.count}) and ${others.length} more`;
}

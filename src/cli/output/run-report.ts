/**
 * The client report over all worlds of a run, and its text: counts, then the findings, those that cost money first. What clients
 * did in a world is added before it is reset, deleted or dropped.
 */

import type { ClientReport } from "../../audit/client-report.ts";
import { type Finding, findingIds } from "../../audit/findings/finding.ts";
import { counted } from "../../base/counted.ts";
import { groupedBy } from "../../base/grouped-by.ts";
import { printable } from "../../base/text.ts";
import { addTo } from "../../play/measure/tally.ts";
import { paragraphs, wrapped } from "../../play/reports/lines.ts";
import { DEFAULT_WORLD, type Worlds } from "../../simulator/worlds.ts";

interface RunReport extends ClientReport {
  /** How many worlds had requests. One that was reset counts once more. */
  readonly worlds: number;
  /** The names of those among them that were reset, deleted or dropped. */
  readonly ended: readonly string[];
}

/** A world's name, and what clients did there. */
type Part = Readonly<{ name: string; report: ClientReport }>;

/** Call it before clients come. @returns a function that gives the report so far. */
export function collectReports(worlds: Worlds): () => RunReport {
  const ended: Part[] = [];
  worlds.observeEnds((name, world) => ended.push({ name, report: world.report() }));
  return () => {
    const now = worlds.names().map((name) => ({ name, report: worlds.get(name).report() }));
    const used = [...ended, ...now].filter(({ report }) => report.requests > 0);
    return {
      ...merged(used.length > 0 ? used : now.slice(0, 1)),
      worlds: used.length,
      ended: ended.filter((part) => used.includes(part)).map(({ name }) => name),
    };
  };
}

function merged(parts: readonly Part[]): ClientReport {
  const reports = parts.map(({ report }) => report);
  const operations: Record<string, Record<string, number>> = {};
  const faults: Record<string, number> = {};
  for (const report of reports) {
    for (const [name, statuses] of Object.entries(report.operations)) {
      operations[name] ??= {};
      addTo(operations[name], statuses);
    }
    addTo(faults, report.faults);
  }
  const instants = reports.flatMap(({ from = [], until = [] }) => [from, until].flat()).sort();
  const worldOf = (name: string): string => (parts.length === 1 ? "" : `World ${name}: `);
  const notes = parts.flatMap(({ name, report }) =>
    report.notes.map((note) => `${worldOf(name)}${note}`),
  );
  return {
    requests: sum(reports, "requests"),
    kept: sum(reports, "kept"),
    copies: sum(reports, "copies"),
    ...{ from: instants[0], until: instants.at(-1), operations, faults },
    // A world for each test would drown the findings.
    notes:
      notes.length < 4 ? notes : [...notes.slice(0, 2), `${notes.length - 2} more like these.`],
    findings: findingsIn(parts),
  };
}

/** Each kind once, with the example of the first world that has it. */
function findingsIn(parts: readonly Part[]): readonly Finding[] {
  const all = parts.flatMap(({ name, report }) =>
    report.findings.map((finding) => ({
      ...finding,
      example: `${name === DEFAULT_WORLD ? "" : `@${name} `}${finding.example}`,
    })),
  );
  const kinds = groupedBy(all, ({ id }) => id);
  return findingIds.flatMap((id) => {
    const same = kinds.get(id);
    if (same === undefined) return [];
    const senders = groupedBy(
      same.flatMap(({ who }) => who),
      ({ publisher }) => publisher,
    );
    const who = Array.from(senders, ([publisher, own]) => ({
      publisher,
      count: sum(own, "count"),
    }));
    return {
      ...same[0],
      count: sum(same, "count"),
      who: who.sort((one, other) => other.count - one.count),
      sequences: same.flatMap(({ sequences }) => sequences),
    };
  });
}

function sum<Member extends string>(
  all: readonly Readonly<Record<Member, number>>[],
  member: Member,
): number {
  return all.reduce((so, one) => so + one[member], 0);
}

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

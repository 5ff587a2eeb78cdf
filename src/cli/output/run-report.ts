/** The client report over all worlds of a run: what clients did in a world is added before it is reset, deleted or dropped. */

import type { ClientReport } from "../../audit/client-report.ts";
import { type Finding, findingIds } from "../../audit/findings/finding.ts";
import { DEFAULT_WORLD, type Worlds } from "../../simulator/worlds.ts";

export interface RunReport extends ClientReport {
  /** How many worlds had requests. One that was reset counts once more. */
  readonly worlds: number;
  /** The names of those among them that were reset, deleted or dropped. */
  readonly ended: readonly string[];
}

interface Part {
  readonly name: string;
  readonly report: ClientReport;
}

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
  const [only] = reports;
  if (only !== undefined && parts.length === 1) return { ...only, findings: findingsIn(parts) };
  const sum = (of: (report: ClientReport) => number): number =>
    reports.reduce((total, report) => total + of(report), 0);
  const times = (of: (report: ClientReport) => string | undefined): string[] =>
    reports.flatMap((report) => of(report) ?? []).sort();
  const operations = new Set(reports.flatMap((report) => Object.keys(report.operations)));
  return {
    requests: sum(({ requests }) => requests),
    kept: sum(({ kept }) => kept),
    copies: sum(({ copies }) => copies),
    from: times(({ from }) => from)[0],
    until: times(({ until }) => until).at(-1),
    operations: Object.fromEntries(
      Array.from(operations, (name) => [
        name,
        added(reports.map((report) => report.operations[name] ?? {})),
      ]),
    ),
    faults: added(reports.map(({ faults }) => faults)),
    notes: parts.flatMap(({ name, report }) =>
      report.notes.map((note) => `World ${name}: ${note}`),
    ),
    findings: findingsIn(parts),
  };
}

type Counts = Readonly<Record<string, number>>;

function added(all: readonly Counts[]): Counts {
  const totals = new Map<string, number>();
  for (const [name, count] of all.flatMap(Object.entries<number>)) {
    totals.set(name, (totals.get(name) ?? 0) + count);
  }
  return Object.fromEntries(totals);
}

/** Each kind once, with the example of the first world that has it. */
function findingsIn(parts: readonly Part[]): readonly Finding[] {
  const all = parts.flatMap(({ name, report }) =>
    report.findings.map((finding) => ({
      ...finding,
      example: `${name === DEFAULT_WORLD ? "" : `@${name} `}${finding.example}`,
    })),
  );
  return findingIds.flatMap((id) => {
    const same = all.filter((finding) => finding.id === id);
    const [first] = same;
    if (first === undefined) return [];
    const who = new Map<string | undefined, number>();
    for (const { publisher, count } of same.flatMap((finding) => finding.who)) {
      who.set(publisher, (who.get(publisher) ?? 0) + count);
    }
    return {
      ...first,
      count: same.reduce((sum, { count }) => sum + count, 0),
      who: Array.from(who, ([publisher, count]) => ({ publisher, count })).sort(
        (one, other) => other.count - one.count,
      ),
      proof: same.flatMap(({ proof }) => proof).slice(0, first.proof.length),
      sequences: same.flatMap(({ sequences }) => sequences),
    };
  });
}

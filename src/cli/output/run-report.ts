/** The client report over all worlds of a run: what clients did in a world is added before it is reset, deleted or dropped. */

import type { ClientReport } from "../../audit/client-report.ts";
import { type Finding, findingIds } from "../../audit/findings/finding.ts";
import { groupedBy } from "../../base/grouped-by.ts";
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
  const total = (member: "requests" | "kept" | "copies"): number =>
    reports.reduce((sum, report) => sum + report[member], 0);
  const operations = new Set(reports.flatMap((report) => Object.keys(report.operations)));
  const isOne = parts.length === 1;
  return {
    requests: total("requests"),
    kept: total("kept"),
    copies: total("copies"),
    from: reports.flatMap(({ from = [] }) => from).sort()[0],
    until: reports
      .flatMap(({ until = [] }) => until)
      .sort()
      .at(-1),
    operations: Object.fromEntries(
      Array.from(operations, (name) => [
        name,
        added(reports.map((one) => one.operations[name] ?? {})),
      ]),
    ),
    faults: added(reports.map(({ faults }) => faults)),
    notes: parts.flatMap(({ name, report: { notes } }) =>
      isOne ? notes : notes.map((note) => `World ${name}: ${note}`),
    ),
    findings: findingsIn(parts),
  };
}

type Counts = Readonly<Record<string, number>>;

function added(all: readonly Counts[]): Counts {
  const totals: Record<string, number> = {};
  for (const [name, count] of all.flatMap(Object.entries<number>)) {
    totals[name] = (totals[name] ?? 0) + count;
  }
  return totals;
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
    const whose = groupedBy(
      same.flatMap(({ who }) => who),
      ({ publisher }) => publisher ?? "",
    );
    const who = Array.from(whose.values(), (group) => ({
      publisher: group[0].publisher,
      count: group.reduce((sum, { count }) => sum + count, 0),
    }));
    return {
      ...first,
      count: same.reduce((sum, { count }) => sum + count, 0),
      who: who.sort((one, other) => other.count - one.count),
      proof: same.flatMap(({ proof }) => proof).slice(0, first.proof.length),
      sequences: same.flatMap(({ sequences }) => sequences),
    };
  });
}

/** The client report over all worlds of a run: what clients did in a world is added before it is reset, deleted or dropped. */

import type { ClientReport } from "../../audit/client-report.ts";
import { type Finding, findingIds } from "../../audit/findings/finding.ts";
import { groupedBy } from "../../base/grouped-by.ts";
import { addTo } from "../../play/measure/tally.ts";
import { DEFAULT_WORLD, type Worlds } from "../../simulator/worlds.ts";

export interface RunReport extends ClientReport {
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
  return {
    requests: sum(reports, "requests"),
    kept: sum(reports, "kept"),
    copies: sum(reports, "copies"),
    ...{ from: instants[0], until: instants.at(-1), operations, faults },
    notes: parts.flatMap(({ name, report: { notes } }) =>
      notes.map((note) => `${worldOf(name)}${note}`),
    ),
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

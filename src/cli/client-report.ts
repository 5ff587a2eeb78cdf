/** How a client used the API: its requests by operation and status, from the journal. */

import type { Journal } from "../journal/journal.ts";

export interface ClientReport {
  /** All requests, also those that the journal has forgotten. */
  readonly requests: number;
  /** How many of them are counted below. */
  readonly counted: number;
  /** Operation → status → requests. `none` is what reached no operation. */
  readonly operations: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

export function clientReport(journal: Journal): ClientReport {
  const operations: Record<string, Record<string, number>> = {};
  const entries = journal.entries();
  for (const { operation = "none", response } of entries) {
    operations[operation] ??= {};
    const statuses = operations[operation];
    statuses[response.status] = (statuses[response.status] ?? 0) + 1;
  }
  return { requests: journal.total, counted: entries.length, operations };
}

export function clientReportText({ requests, counted, operations }: ClientReport): string {
  const rows = Object.entries(operations).map(([operation, statuses]) => {
    const counts = Object.entries(statuses).map(([status, count]) => `${status} × ${count}`);
    return `  ${operation.padEnd(12)}${counts.join(", ")}`;
  });
  const forgotten = requests === counted ? "" : `, the last ${counted} of them kept`;
  return [`adsim: ${requests} requests${forgotten}`, ...rows, ""].join("\n");
}

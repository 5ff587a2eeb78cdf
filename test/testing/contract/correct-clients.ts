/** Clients of four kinds that are correct: no rule may be broken by any of them, whatever is assumed. */

import type { ContractReport } from "../../../src/testing/contract/report.ts";
import {
  type ClientContractOptions,
  type CreateDriver,
  clientContract,
} from "../../../src/testing.ts";
import { createReferenceDriver } from "../../client/reference-driver.ts";
import { createQueueingDriver } from "../defects/queueing-client.ts";
import { onceOnly, patientClient } from "./patient-client.ts";

export type ClientName = "plain" | "patient" | "queueing" | "reference";

export const correctClients: Readonly<Record<ClientName, CreateDriver>> = {
  /** Tries once, and reports how it went. */
  plain: onceOnly,
  /** Repeats with growing pauses, while the caller waits. */
  patient: patientClient(),
  /** Delivers in the background. */
  queueing: createQueueingDriver,
  reference: createReferenceDriver,
};

export const clientNames: readonly ClientName[] = Object.keys(correctClients) as ClientName[];

/** What the machine's time zone may be: UTC, the service's other reading of days, and both sides of the date line. */
export const timeZones = [
  "UTC",
  "Asia/Kolkata",
  "America/Los_Angeles",
  "Pacific/Kiritimati",
] as const;

export interface ContractOutcome {
  /** Rules that were broken or couldn't be tried, each with the reason. */
  readonly alarms: readonly string[];
  /** How many rules applied and held. */
  readonly held: number;
}

/** Tries the whole contract outside a test runner. A rule that never came up is no alarm. */
export async function tryContract(
  client: ClientName,
  options: Pick<
    ClientContractOptions,
    "assumptions" | "sequenceSeed" | "runs" | "globals" | "timeZone"
  >,
): Promise<ContractOutcome> {
  const tests: (() => Promise<void>)[] = [];
  const reports: ContractReport[] = [];
  clientContract({
    ...options,
    driver: correctClients[client],
    describe: (_name, define) => define(),
    it: (_name, test) => tests.push(test),
    failures: false,
    onReport: (report) => reports.push(report),
  });
  // As mocha does it. Of the errors nothing is lost: they are in the report.
  const runner = { skip: () => undefined, timeout: () => undefined };
  for (const test of tests) await test.call(runner).catch(() => undefined);
  const verdicts = reports.flatMap(({ rules }) =>
    rules.map(({ id, verdict }) => ({ id, verdict })),
  );
  return {
    alarms: verdicts.flatMap(({ id, verdict }) => {
      const { kind } = verdict;
      return kind === "broken" || kind === "failed" || kind === "not-run"
        ? [`${id}: ${"why" in verdict ? verdict.why : kind}`]
        : [];
    }),
    held: verdicts.filter(({ verdict }) => verdict.kind === "held").length,
  };
}

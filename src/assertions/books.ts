/** Whether the world's books balance, and whether they say what the client believes. */

import { AuditError } from "../audit/audit-error.ts";
import type { ClientCounts } from "../audit/client-counts.ts";
import { type Check, check, readSim } from "./check.ts";

/** What was counted, the ledger and the payouts agree with each other. */
export function balances(given: unknown): Check {
  const { balanced, discrepancies, publishers } = readSim(given).audit();
  const sums = publishers.map(
    ({ publisher, books }) =>
      `  ${publisher}: revenue ${books.revenueInr} INR = paid ${books.paidInr} + pending ${books.pendingInr}`,
  );
  return check({
    pass: balanced,
    expected: [],
    actual: discrepancies,
    describeFailure: () => [
      "Expected the books to balance:",
      ...discrepancies.map((what) => `  ${what}`),
      "No client can do this: it is a mistake of the simulator, or a snapshot was edited.",
    ],
    describeSuccess: () => ["Expected books that don't balance. They do:", ...sums],
  });
}

/** Every event that the client believes recorded is on record once, and nothing else is. @throws InputError */
export function nothingLostOrDoubled(
  given: unknown,
  clientCounts: ClientCounts | readonly ClientCounts[],
): Check {
  const audit = readSim(given).audit();
  try {
    audit.assertNothingLostOrDoubled(clientCounts);
  } catch (error) {
    if (!(error instanceof AuditError)) throw error;
    const { differences, message } = error;
    return check({
      pass: false,
      expected: differences.map(({ publisher, what, client }) => ({ publisher, [what]: client })),
      actual: differences.map(({ publisher, what, ledger }) => ({ publisher, [what]: ledger })),
      describeFailure: () => [message],
      describeSuccess: () => [],
    });
  }
  return check({
    pass: true,
    expected: clientCounts,
    actual: clientCounts,
    describeFailure: () => [],
    describeSuccess: () => ["Expected something lost or doubled: the client and the ledger agree."],
  });
}

/** Checks that the world's books balance, and that they agree with what the client believes. */

import { AuditError } from "../audit/assert-counts.ts";
import type { ClientCounts } from "../audit/client-counts.ts";
import { type Check, check, readSim } from "./check.ts";

/** The tallies, the ledger and the payouts agree with each other. */
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
      "No client can cause this: it is a bug in adsim, or a snapshot was edited.",
    ],
    describeSuccess: () => ["Expected books that don't balance. They do:", ...sums],
  });
}

/** The books have exactly the events that the client believes are recorded, each once. @throws InputError */
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

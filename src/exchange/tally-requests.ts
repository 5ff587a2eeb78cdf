/** Updates the tallies: what the service did, and how much of it clients saw. */

import type { Accounts } from "../world/accounts/accounts.ts";
import type { EventTally } from "../world/accounts/tally.ts";
import type { RequestContext } from "./request-context.ts";

/** The tally of a recording request; undefined for any other. */
export function tallyOf(
  context: RequestContext,
  { unauthenticated }: Accounts,
): EventTally | undefined {
  const tally = context.account === undefined ? unauthenticated : context.account.tally;
  if (context.operation === "impression") return tally.impression;
  return context.operation === "click" ? tally.click : undefined;
}

/** Counts what the service did, as if its answer were delivered. `micros` is the credit in the answer. */
export function countServed(
  tally: EventTally | undefined,
  effect: RequestContext["effect"],
  micros: number,
): void {
  if (tally === undefined) return;
  switch (effect) {
    case "applied":
      tally.applied += 1;
      tally.seenMicros += micros;
      break;
    case "suppressed":
      tally.suppressed += 1;
      tally.repeatedMicros += micros;
      break;
    case "refused":
      tally.refused += 1;
      break;
    case "read":
    case undefined:
      break;
  }
}

/** Corrects the tally if the client didn't get the answer. */
export function countUnseen(
  tally: EventTally | undefined,
  { effect, micros }: RequestContext,
): void {
  if (tally === undefined) return;
  if (effect === "suppressed") tally.repeatedMicros -= micros;
  if (effect !== "applied") return;
  tally.unseen += 1;
  tally.seenMicros -= micros;
  tally.unseenMicros += micros;
}

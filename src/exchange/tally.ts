/** Counts what the service did, and how much of it clients saw. An audit compares the counts with the books. */

import { isEventKind } from "../spec/operations.ts";
import type { Accounts } from "../world/accounts/accounts.ts";
import type { EventTally } from "../world/accounts/state.ts";
import type { RequestContext } from "./request-context.ts";

/** The tally of a recording request; undefined for any other. */
export function tallyOf(
  { account, operation }: RequestContext,
  { unauthenticated }: Accounts,
): EventTally | undefined {
  return isEventKind(operation) ? (account?.tally ?? unauthenticated)[operation] : undefined;
}

/** Counts what the service did, as if its answer were delivered. */
export function countServed(context: RequestContext, accounts: Accounts): void {
  const { effect, micros } = context;
  const tally = tallyOf(context, accounts);
  if (tally === undefined || effect === undefined || effect === "read") return;
  tally[effect] += 1;
  if (effect === "applied") tally.seenMicros += micros;
}

/** Corrects the tally if the client didn't get the answer. */
export function countUnseen(context: RequestContext, accounts: Accounts): void {
  const { effect, micros } = context;
  const tally = tallyOf(context, accounts);
  if (tally === undefined || effect !== "applied") return;
  tally.unseen += 1;
  tally.seenMicros -= micros;
  tally.unseenMicros += micros;
}

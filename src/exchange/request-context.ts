/**
 * A request and its outcome, which the stages of the request path fill in. The journal keeps it as its record. What the service did,
 * and how much of it clients saw, is counted: an audit compares the counts with the ledger.
 */

import type { JournalRecord } from "../journal/record.ts";
import { noResponse } from "../spec/messages.ts";
import { isEventKind } from "../spec/operations.ts";
import type { Account } from "../world/accounts/account.ts";
import type { Accounts } from "../world/accounts/accounts.ts";
import type { EventTally } from "../world/accounts/state.ts";
import type { WorldDescription } from "../world/publishers/world-settings.ts";
import type { Identity } from "./identify.ts";
import type { PlainRequest } from "./plain-request.ts";

export interface RequestContext extends JournalRecord {
  /** The account that the request concerns: the key's own, unless keys work for all publishers. */
  account: Account | undefined;
}

export function createContext(
  { method, path, query, headers, body, connection }: PlainRequest,
  { operation, sender }: Pick<Identity, "operation" | "sender">,
  nowMs: number,
  world: WorldDescription,
): RequestContext {
  return {
    method,
    path,
    query,
    headers,
    body,
    connection,
    nowMs,
    world,
    operation,
    publisher: sender?.id,
    account: sender,
    response: noResponse,
    producedBy: "service",
    fault: undefined,
    reason: "",
    shapedBy: [],
    effect: undefined,
    micros: 0,
  };
}

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

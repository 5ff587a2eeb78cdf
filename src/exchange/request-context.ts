/** A request and its outcome, which the stages of the request path fill in. The journal keeps it as its record. */

import type { JournalRecord } from "../journal/record.ts";
import { noResponse } from "../spec/messages.ts";
import type { Account } from "../world/accounts/account.ts";
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

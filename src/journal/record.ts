/** A request with what became of it, as the request path hands it to the journal: the journal keeps it as it is. */

import type { AssumptionKey } from "../spec/assumptions/catalogue.ts";
import type { ApiResponse, RequestParts } from "../spec/messages.ts";
import type { OperationId } from "../spec/operations.ts";
import type { WorldDescription } from "../world/publishers/world-settings.ts";
import type { JournalEntry, JournalFault, Producer } from "./entry.ts";

/** The reason of a preflight that was answered as one: a browser asked whether a page may send another request. */
export const PREFLIGHT = "preflight";

export interface JournalRecord extends RequestParts {
  readonly nowMs: number;
  operation: OperationId | undefined;
  publisher: string | undefined;
  response: ApiResponse;
  producedBy: Producer;
  fault: FaultRecord | undefined;
  reason: string;
  shapedBy: readonly AssumptionKey[];
  /** The world that answered. */
  readonly world: WorldDescription;
}

/** What a rule did. It may turn out later that the client had gone before its response was handed over. */
export interface FaultRecord extends Omit<JournalFault, "received" | "lost"> {
  received: JournalFault["received"];
  lost: ApiResponse | undefined;
}

/** A record with its number. */
export interface NumberedRecord {
  readonly record: JournalRecord;
  readonly sequence: number;
}

/** A record beside the entry that it is shown as. */
export interface ShownRecord {
  readonly record: JournalRecord;
  readonly entry: JournalEntry;
}

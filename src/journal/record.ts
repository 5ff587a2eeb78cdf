/** A journal record: a request and its outcome. The request path fills it in, and the journal keeps that object. */

import type { Verdict } from "../faults/verdict.ts";
import type { AssumptionKey } from "../spec/assumptions/catalogue.ts";
import type { ApiResponse, RequestParts } from "../spec/messages.ts";
import type { OperationId } from "../spec/operations.ts";
import type { WorldDescription } from "../world/publishers/world-settings.ts";
import type { Effect, JournalEntry, JournalFault, Producer } from "./entry.ts";

/** The reason of an answered preflight, by which a browser asks whether a page may send a request. */
export const PREFLIGHT = "preflight";

export interface JournalRecord extends RequestParts {
  readonly nowMs: number;
  /** The number of the client's connection, if the HTTP server took the request. No entry and no export shows it. */
  readonly connection?: number | undefined;
  operation: OperationId | undefined;
  publisher: string | undefined;
  /** The account that the request concerns: the key's own, unless keys work for all publishers. */
  account: { readonly id: string } | undefined;
  response: ApiResponse;
  producedBy: Producer;
  fault: FaultRecord | undefined;
  reason: string;
  shapedBy: readonly AssumptionKey[];
  /** The effect on the ledger; undefined if the service didn't carry it out. */
  effect: Effect | undefined;
  /** The credit that the service's answer shows, in micro-INR; 0 if it shows none. */
  micros: number;
  /** The world that answered. */
  readonly world: WorldDescription;
}

/** What a rule did. Changes later if the client left before its response was handed over. */
export interface FaultRecord extends Omit<JournalFault, "received" | "lost" | "application"> {
  /** What the rule decided. A rule that is a function can't be asked again. */
  readonly verdict: Verdict;
  application: JournalFault["application"];
  received: JournalFault["received"];
  lost: ApiResponse | undefined;
}

/** A record with its public entry. */
export interface ShownRecord {
  readonly record: JournalRecord;
  readonly entry: JournalEntry;
}

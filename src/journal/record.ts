/** A request with what became of it, as the request path hands it to the journal: the journal keeps it as it is. */

import type { AssumptionKey } from "../assumptions/catalogue.ts";
import type { ApiResponse } from "../contract/messages.ts";
import type { OperationId } from "../contract/operations.ts";
import type { VerdictKind } from "../faults/verdict.ts";

export interface JournalRecord {
  readonly nowMs: number;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  operation: OperationId | undefined;
  publisher: string | undefined;
  response: ApiResponse;
  producedBy: "service" | "limit" | "rule";
  fault: FaultRecord | undefined;
  reason: string;
  shapedBy: readonly AssumptionKey[];
}

/** What a rule did. It may turn out later that the client had gone before its response was handed over. */
export interface FaultRecord {
  readonly rule: string;
  readonly kind: VerdictKind;
  readonly delayMs: number;
  readonly served: boolean;
  received: "whole" | "part" | "nothing";
  lost: ApiResponse | undefined;
}

/** A request with what became of it, as the request path hands it to the journal: the journal keeps it as it is. */

import type { Received } from "../faults/plan.ts";
import type { VerdictKind } from "../faults/verdict.ts";
import type { AssumptionKey } from "../spec/assumptions/catalogue.ts";
import type { ApiResponse } from "../spec/messages.ts";
import type { OperationId } from "../spec/operations.ts";
import type { WorldAbout } from "../world/world-settings.ts";

/** Who made an answer: the service, its request limit, or a fault rule in its place. */
export type Producer = "service" | "limit" | "rule";

/** The reason of a preflight that was answered as one: a browser asked whether a page may send another request. */
export const PREFLIGHT = "preflight";

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
  producedBy: Producer;
  fault: FaultRecord | undefined;
  reason: string;
  shapedBy: readonly AssumptionKey[];
  /** The world that answered. */
  readonly world: WorldAbout;
}

/** What a rule did. It may turn out later that the client had gone before its response was handed over. */
export interface FaultRecord {
  readonly rule: string;
  readonly kind: VerdictKind;
  readonly delayMs: number;
  readonly served: boolean;
  /** 2 for the second time that a rule made the service do it. */
  readonly application: 1 | 2;
  received: Received;
  lost: ApiResponse | undefined;
}

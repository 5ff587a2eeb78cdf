/** A request with what became of it, as the request path hands it to the journal: the journal keeps it as it is. */

import { formatInstant } from "../base/calendar.ts";
import type { VerdictKind } from "../faults/verdict.ts";
import {
  type AssumptionKey,
  type Assumptions,
  type Choice,
  catalogue,
} from "../spec/assumptions/catalogue.ts";
import type { Received } from "../spec/delivery.ts";
import type { ApiResponse } from "../spec/messages.ts";
import type { OperationId } from "../spec/operations.ts";
import type { Profile } from "../world/publishers/profiles.ts";

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

/** What a world is made from: with the clock set and the same requests, it gives the same answers. */
export interface WorldAbout {
  readonly seed: string;
  /** Its first instant, in ISO 8601. */
  readonly start: string;
  readonly publishers: number;
  readonly profile: Profile;
  /** The choices in force that aren't the defaults. */
  readonly assumptions: { readonly [Key in AssumptionKey]?: Choice<Key> };
}

/** What a world's settings are. */
interface WorldSettings {
  readonly seed: string;
  readonly startMs: number;
  readonly publishers: number;
  readonly profile: Profile;
  readonly assumptions: Assumptions;
}

/** Made once for as long as the settings hold, and shared by all records. */
export function worldAbout(settings: WorldSettings): WorldAbout {
  const { seed, startMs, publishers, profile } = settings;
  const chosen = Object.entries(settings.assumptions).filter(
    ([key, choice]) => catalogue[key as AssumptionKey].default !== choice,
  );
  const assumptions: WorldAbout["assumptions"] = Object.freeze(Object.fromEntries(chosen));
  return Object.freeze({ seed, start: formatInstant(startMs), publishers, profile, assumptions });
}

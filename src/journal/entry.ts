/** An entry of the journal as people and programs read it. */

import type { VerdictKind } from "../faults/verdict.ts";
import type { AssumptionKey } from "../spec/assumptions/catalogue.ts";
import type { Received } from "../spec/delivery.ts";
import type { ApiResponse, RequestParts } from "../spec/messages.ts";
import type { LimitClass, OperationId } from "../spec/operations.ts";

/** Who made an answer: the service, its request limit, or a fault rule in its place. */
export type Producer = "service" | "limit" | "rule";

/** A request with its answer. Keys and UPI ids are left out of it, unless they were asked for. */
export interface JournalEntry {
  /** Counts all requests of the world, from 1. */
  readonly sequence: number;
  /** When, in ISO 8601 with milliseconds, on the world's clock. */
  readonly at: string;
  /** Undefined where no operation answers at the path. */
  readonly operation: OperationId | undefined;
  /** Id of the publisher whose key was sent; undefined without a valid key. */
  readonly publisher: string | undefined;
  readonly request: Omit<RequestParts, "body"> & {
    /** Text; bytes that are not UTF-8 are shown as U+FFFD. */
    readonly body: string;
    /** The bytes in base 64, where they are not UTF-8. */
    readonly bodyBase64?: string | undefined;
  };
  /** What the client got: status 0 where a rule left it without a response, and where broken off only what came. */
  readonly response: ShownResponse;
  readonly producedBy: Producer;
  /** Which request limit refused it (spec §8); undefined where none did. */
  readonly limit: LimitClass | undefined;
  /** What a fault rule did to it; undefined where none did anything. */
  readonly fault: JournalFault | undefined;
  /** Why the answer is what it is: what was done, or the error's code. */
  readonly reason: string;
  /** The open points of the spec that shaped the answer, or that the spec alone did. */
  readonly assumptions: readonly AssumptionKey[] | "documented";
  /** What would have been right, where the service knew no such path, method, key, publisher, surface or impression. */
  readonly nearest?: Nearest | undefined;
}

/** A response as the client got it. `bodyBase64`: the bytes, where they are not UTF-8. */
export type ShownResponse = Omit<ApiResponse, "delivery"> & {
  readonly bodyBase64?: string | undefined;
};

/** A miss explained, from the world as it is when the entry is shown. */
export interface Nearest {
  /** What was sent, as far as it may be repeated. */
  readonly sent: string;
  /** The closest thing that exists. */
  readonly closest: string;
  /**
   * A line for a POSIX shell that gets an answer, with the world's base URL in `ADSIM_URL` and a key in `ADSIM_API_KEY`:
   * the one that was sent where that is valid, else that of the publisher that `closest` names. Shown secrets stand in
   * the line as such.
   */
  readonly paste: string;
}

/** What a fault rule did to a request. */
export interface JournalFault {
  /** The id of the rule. */
  readonly rule: string;
  readonly kind: VerdictKind;
  /** How long the response was held back, in milliseconds of real time. */
  readonly delayMs: number;
  /** Whether the service did what was asked. */
  readonly served: boolean;
  /** 2 for the second time that a `duplicate` made the service do it: that entry follows the first. */
  readonly application: 1 | 2;
  /** How much of its response the client got. A second application's never reaches it. */
  readonly received: Received;
  /** The service's own answer, where the client didn't get it whole. */
  readonly lost: ShownResponse | undefined;
}

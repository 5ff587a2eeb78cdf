/** The public form of a journal entry, and what it says: its parameters, and the id in its answer. */

import { jsonIn, memberOf } from "../base/parse-json.ts";
import type { VerdictKind } from "../faults/verdict.ts";
import type { AssumptionKey } from "../spec/assumptions/catalogue.ts";
import type { Received } from "../spec/delivery.ts";
import type { ApiResponse, RequestParts } from "../spec/messages.ts";
import type { EventKind, LimitClass, OperationId } from "../spec/operations.ts";

/** Who made an answer: the service, its request limit, or a fault rule instead of the service. */
export type Producer = "service" | "limit" | "rule";

/**
 * The effect of a request on the ledger.
 *
 * - `applied`: an event was recorded.
 * - `suppressed`: it was a duplicate.
 * - `read`: it only read.
 * - `refused`: it was refused, and not as a duplicate.
 */
export type Effect = "applied" | "suppressed" | "read" | "refused";

/** A request with its answer. Credentials in headers are redacted unless the filter asks for them. */
export interface JournalEntry {
  /** Counts all requests of the world, from 1. */
  readonly sequence: number;
  /** When it arrived, in ISO 8601 with milliseconds, on the world's clock. */
  readonly at: string;
  /** Undefined if the path and method belong to no operation. */
  readonly operation: OperationId | undefined;
  /** Id of the publisher whose key was sent; undefined without a valid key. */
  readonly publisher: string | undefined;
  readonly request: Omit<RequestParts, "body"> & ShownBody;
  /** What the client got. Status 0 if a rule left it without a response; a cut body has only the part that arrived. */
  readonly response: ShownResponse;
  readonly producedBy: Producer;
  /** The request limit that refused it (spec §8), if one did. */
  readonly limit: LimitClass | undefined;
  /** What a fault rule did to it, if one did anything. */
  readonly fault: JournalFault | undefined;
  /** Explains the answer: what the service did, or the error's code. */
  readonly reason: string;
  /** What it did to the ledger; undefined if the service didn't carry it out: a rule kept it away, or it was a preflight. */
  readonly effect: Effect | undefined;
  /**
   * The credit that the service's own answer to an impression or click shows, in INR, even if that answer didn't arrive.
   * Undefined if the answer shows none.
   */
  readonly creditInr: number | undefined;
  /** The assumptions that shape answers of this kind; `documented` if none. */
  readonly assumptions: readonly AssumptionKey[] | "documented";
  /** The nearest valid value, if the path, method, key, publisher, surface or impression was unknown. */
  readonly nearest?: Nearest | undefined;
}

interface ShownBody {
  /** Text. Bytes that aren't UTF-8 are shown as U+FFFD. */
  readonly body: string;
  /** The bytes in base 64, if they aren't UTF-8. */
  readonly bodyBase64?: string | undefined;
}

/** A response as the client got it. */
export type ShownResponse = Omit<ApiResponse, "body" | "delivery"> & ShownBody;

/** Explains an unknown name or id by the state of the world at the time the entry is shown. */
export interface Nearest {
  /** What was sent, without secrets. */
  readonly sent: string;
  /** The closest thing that exists. */
  readonly closest: string;
  /**
   * A working command for a POSIX shell. It expects the world's base URL in `ADSIM_URL` and a key in `ADSIM_API_KEY`: the
   * key that was sent if it is valid, otherwise the key of the publisher in `closest`. If secrets are shown, it has them.
   */
  readonly paste: string;
}

/** What a fault rule did to a request. */
export interface JournalFault {
  /** The id of the rule. */
  readonly rule: string;
  readonly kind: VerdictKind;
  /** The delay of the response, in milliseconds of real time. */
  readonly delayMs: number;
  /** Whether the service carried out the request. */
  readonly served: boolean;
  /** 2 for the second time that the service carried out a `duplicate`, in an entry after the first. */
  readonly application: 1 | 2;
  /** How much of the response the client got. It never gets the response of a second application. */
  readonly received: Received;
  /** The service's own answer, if the client didn't get the whole of it. */
  readonly lost: ShownResponse | undefined;
}

/** The parameters in the query and the body, as sent. A body that looks like JSON and isn't has none. */
export function parametersOf({ query, body }: Pick<JournalEntry["request"], "query" | "body">) {
  const inBody = body.startsWith("{")
    ? Object.entries(Object(jsonIn(body)))
    : new URLSearchParams(body);
  return [...new URLSearchParams(query), ...inBody] as (readonly [name: string, value: unknown])[];
}

/** The parameters as text. If a name occurs twice, the last value counts. */
export function valuesOf(request: JournalEntry["request"]): ReadonlyMap<string, string> {
  return new Map(parametersOf(request).map(([name, value]) => [name, String(value)]));
}

/** The id in the answer to an event; undefined if the answer is no success. */
export function eventIdIn(
  { status, body = "" }: { readonly status: number; readonly body: string | undefined },
  event: EventKind,
): string | undefined {
  const id = status === 200 ? memberOf(jsonIn(body), `${event}_id`) : undefined;
  return typeof id === "string" ? id : undefined;
}

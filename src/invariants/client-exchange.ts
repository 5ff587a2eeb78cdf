/**
 * What a client sends and what it sees of the answer. For a response of an in-process simulator, it works out the outcome of
 * the delivery without performing it, and notifies the service if the client would have given up.
 */

import { utf8Length } from "../base/text.ts";
import { type Delivery, deliveryTraits } from "../spec/delivery.ts";
import type { ApiRequest, ApiResponse } from "../spec/messages.ts";
import type { OperationId } from "../spec/operations.ts";
import type { Credentials } from "../world/accounts/account.ts";

/**
 * What the client sees: a complete response, a response whose body broke off, a connection that ended without a valid
 * response, or nothing in time.
 */
export type RequestOutcome = "answered" | "cut" | "lost" | "timed-out";

export interface Outgoing {
  /** Undefined for a raw request. */
  readonly operation: OperationId | undefined;
  readonly request: ApiRequest;
  readonly timeoutMs: number;
}

/** A request and what the client saw of it. */
export interface ClientExchange {
  readonly operation: OperationId | undefined;
  /** When it was sent, on the target's clock, in milliseconds since 1970. */
  readonly atMs: number;
  readonly request: ApiRequest;
  readonly outcome: RequestOutcome;
  /** 0 without a response. */
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The received part of the body. Bytes that aren't UTF-8 are U+FFFD. */
  readonly text: string;
  /** In virtual time the delay of the answer, in real time the time since the planned sending. */
  readonly latencyMs: number;
  /** Why there is no complete answer, if the target says so. */
  readonly why?: string | undefined;
}

/** A publisher that takes part, with its key. `joined`: undefined for a foreign service. */
export interface Member extends Credentials {
  readonly joined: string | undefined;
}

/** `atMs`: when it was sent, in milliseconds since 1970. */
export function exchangeOf(
  { operation, request, timeoutMs }: Outgoing,
  { delivery, status, headers, body: text }: ApiResponse,
  atMs: number,
): ClientExchange {
  const sent = { operation, atMs, request };
  const answer = { status, headers, text };
  if (delivery === undefined)
    return { ...sent, outcome: status === 0 ? "lost" : "answered", ...answer, latencyMs: 0 };
  const latencyMs = responseMsOf(delivery, text);
  if (latencyMs > timeoutMs) {
    delivery.undelivered();
    return { ...sent, outcome: "timed-out", ...nothing, latencyMs: timeoutMs };
  }
  const outcome: RequestOutcome = deliveryTraits[delivery.kind].seen;
  return { ...sent, outcome, ...(outcome === "lost" ? nothing : answer), latencyMs };
}

const nothing = Object.freeze({ status: 0, headers: Object.freeze({}), text: "" });

/** How long the client waits for the end of the response, in milliseconds. */
function responseMsOf(delivery: Delivery, body: string): number {
  switch (delivery.kind) {
    case "silence":
      return Number.POSITIVE_INFINITY;
    case "overtaken":
      // A client that waits for each answer before its next request is never overtaken.
      return delivery.delayMs + delivery.atMostMs;
    case "drip":
      return delivery.delayMs + Math.ceil((utf8Length(body) * 1000) / delivery.bytesPerSecond);
    default:
      return delivery.delayMs;
  }
}

/**
 * What a client sends and what it sees of the answer. Of a response that the simulator gave in this process a delivery is
 * not acted out: only its outcome is told, and the service is told where the client would have given up.
 */

import { utf8Length } from "../base/text.ts";
import { type Delivery, deliveryTraits } from "../spec/delivery.ts";
import type { ApiRequest, ApiResponse } from "../spec/messages.ts";
import type { OperationId } from "../spec/operations.ts";
import type { Credentials } from "../world/accounts/account.ts";

/**
 * What the client sees of a request: a whole response, one whose body broke off, a connection that ended without a
 * response or with something else, or nothing in time.
 */
export type RequestOutcome = "answered" | "cut" | "lost" | "timed-out";
export const requestOutcomes: readonly RequestOutcome[] = ["answered", "cut", "lost", "timed-out"];

/** A request on its way. */
export interface Outgoing {
  /** Undefined for a raw one. */
  readonly operation: OperationId | undefined;
  readonly request: ApiRequest;
  readonly timeoutMs: number;
}

/** A request and what the client saw of it. */
export interface ClientExchange {
  readonly operation: OperationId | undefined;
  /** On the target's clock, in milliseconds since 1970, when it was sent. */
  readonly atMs: number;
  readonly request: ApiRequest;
  readonly outcome: RequestOutcome;
  /** 0 without a response. */
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** What came of the body; what isn't UTF-8 is U+FFFD. */
  readonly text: string;
  /** The body byte for byte, where it isn't UTF-8. */
  readonly bytes?: Uint8Array | undefined;
  /** In virtual time what the answer was held back for, in real time what passed from the planned sending on. */
  readonly latencyMs: number;
  /** Why there is no whole answer, where the target tells. */
  readonly why?: string | undefined;
}

/** Who takes part: a publisher with its key. `joined`: undefined of a foreign service. */
export interface Member extends Credentials {
  readonly joined: string | undefined;
}

/** `atMs`: when it was sent, in milliseconds since 1970. */
export function exchangeOf(
  outgoing: Outgoing,
  response: ApiResponse,
  atMs: number,
): ClientExchange {
  const { operation, request } = outgoing;
  const { delivery, status, headers, body } = response;
  if (delivery === undefined) {
    const outcome = status === 0 ? "lost" : "answered";
    return { operation, atMs, request, outcome, status, headers, text: body, latencyMs: 0 };
  }
  const heldMs = responseMsOf(delivery, body);
  if (heldMs > outgoing.timeoutMs) {
    delivery.undelivered();
    const latencyMs = outgoing.timeoutMs;
    return { operation, atMs, request, outcome: "timed-out", ...nothing, latencyMs };
  }
  const outcome: RequestOutcome = deliveryTraits[delivery.kind].seen;
  const seen = outcome === "lost" ? nothing : { status, headers, text: body };
  return { operation, atMs, request, outcome, ...seen, latencyMs: heldMs };
}

const nothing: Pick<ClientExchange, "status" | "headers" | "text"> = Object.freeze({
  status: 0,
  headers: Object.freeze({}),
  text: "",
});

/** How long the client waits for the last of it, in milliseconds. */
function responseMsOf(delivery: Delivery, body: string): number {
  switch (delivery.kind) {
    case "silence":
      return Number.POSITIVE_INFINITY;
    case "overtaken":
      // A client that waits for each answer before it asks again is never overtaken.
      return delivery.delayMs + delivery.atMostMs;
    case "drip":
      return delivery.delayMs + Math.ceil((utf8Length(body) * 1000) / delivery.bytesPerSecond);
    default:
      return delivery.delayMs;
  }
}

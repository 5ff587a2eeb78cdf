/**
 * What a client would have seen of a response that the simulator gave in this process: a delivery is not acted out, only
 * its outcome is told, and the service is told where the client would have given up.
 */

import { utf8Length } from "../../base/text.ts";
import type { Delivery } from "../../spec/delivery.ts";
import type { ApiResponse } from "../../spec/messages.ts";
import type { RequestOutcome } from "../language/scenario.ts";
import type { Exchange, Outgoing } from "./effects.ts";

/** `atMs`: when it was sent, in milliseconds since 1970. */
export function exchangeOf(outgoing: Outgoing, response: ApiResponse, atMs: number): Exchange {
  const { operation, request } = outgoing;
  const { delivery, status, headers, body } = response;
  if (delivery === undefined) {
    const outcome = status === 0 ? "lost" : "answered";
    return { operation, atMs, request, outcome, status, headers, text: body, latencyMs: 0 };
  }
  const heldMs = heldMsOf(delivery, body);
  if (heldMs > outgoing.timeoutMs) {
    delivery.undelivered();
    const latencyMs = outgoing.timeoutMs;
    return { operation, atMs, request, outcome: "timed-out", ...nothing, latencyMs };
  }
  const outcome = outcomes[delivery.kind];
  const seen = outcome === "lost" ? nothing : { status, headers, text: body };
  return { operation, atMs, request, outcome, ...seen, latencyMs: heldMs };
}

const nothing: Pick<Exchange, "status" | "headers" | "text"> = Object.freeze({
  status: 0,
  headers: Object.freeze({}),
  text: "",
});

/** What a client sees that waits long enough. */
const outcomes = {
  whole: "answered",
  overtaken: "answered",
  bytes: "answered",
  drip: "answered",
  cut: "cut",
  noise: "lost",
  close: "lost",
  reset: "lost",
  silence: "timed-out",
} satisfies Record<Delivery["kind"], RequestOutcome>;

/** How long the client waits for the last of it, in milliseconds. */
function heldMsOf(delivery: Delivery, body: string): number {
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

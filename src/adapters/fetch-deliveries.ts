/** Delivers a response through `fetch` as a fault rule says: late, in part, or not at all. */

import { createDrip } from "../base/drip.ts";
import type { Delivery } from "../spec/delivery.ts";
import type { ApiResponse } from "../spec/messages.ts";
import {
  type Client,
  globalTimers,
  isHeldBack,
  nothing,
  type Overtaking,
  onAbort,
  pause,
  type QueuePlace,
} from "./hold-back.ts";

/** The client that waits for the response. */
export interface DeliveryClient extends Client {
  /**
   * How long a silence keeps the process alive, in milliseconds, so that a time-out signal can end it. Neither such a signal
   * nor a socket would keep it alive.
   *
   * @default 0
   */
  readonly keepsProcessMs?: number | undefined;
  readonly overtaking: Overtaking;
}

/**
 * The response as it arrives.
 *
 * @throws (as a rejection) the signal's reason if it is aborted meanwhile; TypeError with the `cause` of Node's fetch if the
 * connection breaks before there is a response.
 */
export async function handOver(
  response: ApiResponse,
  delivery: Delivery,
  client: DeliveryClient,
): Promise<Response> {
  const { signal, overtaking } = client;
  const place: QueuePlace = { world: "", order: overtaking.nextOrder() };
  try {
    signal?.throwIfAborted();
    if (isHeldBack(delivery)) await overtaking.holdBack(delivery, place, client);
  } catch (reason) {
    delivery.undelivered();
    throw reason;
  }
  const arrived = await deliverAs(response, delivery, client);
  if (!overtaking.isIdle) overtaking.handedOver(place);
  return arrived;
}

/** Leaves headers as they are: in an answer to HEAD, content-length is the length of the body that isn't sent. */
export function toResponse(response: ApiResponse): Response {
  return withBody(response, response.body === "" ? null : response.body);
}

function withBody({ status, headers }: ApiResponse, body: BodyInit | null): Response {
  return new Response(body, { status, headers });
}

function deliverAs(
  response: ApiResponse,
  delivery: Delivery,
  client: DeliveryClient,
): Response | Promise<Response> {
  switch (delivery.kind) {
    case "whole":
    case "overtaken":
      return toResponse(response);
    case "bytes":
      return withBody(response, new Uint8Array(delivery.bytes));
    case "drip":
      if (response.body === "") return toResponse(response);
      return withBody(response, dripStream(response.body, delivery, client));
    case "cut":
      return withBody(response, brokenStream(delivery.bytes));
    case "close":
      return Promise.reject(new TypeError("fetch failed", { cause: otherSideClosed() }));
    case "reset":
      return Promise.reject(new TypeError("fetch failed", { cause: connectionReset() }));
    case "noise":
      return Promise.reject(new TypeError("fetch failed", { cause: notHttp(delivery.bytes) }));
    case "silence":
      return silence(client);
  }
}

function silence({
  signal,
  keepsProcessMs = 0,
  timers = globalTimers,
}: DeliveryClient): Promise<never> {
  return new Promise((_, reject) => {
    if (signal === undefined) return;
    const timer = keepsProcessMs > 0 ? timers.setTimeout(nothing, keepsProcessMs) : undefined;
    onAbort(signal, (reason) => {
      timers.clearTimeout(timer);
      reject(reason);
    });
  });
}

/** Produces pieces only on demand, so that a body that nobody reads needs no timer. */
const onDemand: QueuingStrategy = { highWaterMark: 0 };

function dripStream(
  text: string,
  { bytesPerSecond, undelivered }: Extract<Delivery, { readonly kind: "drip" }>,
  { signal, timers }: DeliveryClient,
): ReadableStream<Uint8Array> {
  const drip = createDrip(text, bytesPerSecond);
  const leaving = new AbortController();
  let stopListening = nothing;
  const giveUp = (reason: unknown): void => {
    stopListening();
    leaving.abort(reason);
    undelivered();
  };
  return new ReadableStream(
    {
      start(controller) {
        stopListening = onAbort(signal, (reason) => {
          giveUp(reason);
          controller.error(reason);
        });
      },
      async pull(controller) {
        await pause(drip.everyMs, { timers, signal: leaving.signal });
        const { piece, isLast } = drip.next();
        controller.enqueue(piece);
        if (!isLast) return;
        stopListening();
        controller.close();
      },
      cancel: giveUp,
    },
    onDemand,
  );
}

function brokenStream(part: Uint8Array): ReadableStream<Uint8Array> {
  // Enqueues the part even if it is empty, because MSW sends the head with the first piece.
  let isSent = false;
  return new ReadableStream(
    {
      pull(controller) {
        if (isSent) controller.error(new TypeError("terminated", { cause: otherSideClosed() }));
        else controller.enqueue(part);
        isSent = true;
      },
    },
    onDemand,
  );
}

function otherSideClosed(): Error {
  const error = new Error("other side closed");
  return Object.assign(error, { name: "SocketError", code: "UND_ERR_SOCKET" });
}

function connectionReset(): Error {
  const error = new Error("read ECONNRESET");
  return Object.assign(error, { code: "ECONNRESET", syscall: "read" });
}

function notHttp(data: Uint8Array): Error {
  const error = new Error("Response does not match the HTTP/1.1 protocol (Expected HTTP/)");
  const details = { code: "HPE_INVALID_CONSTANT", data: new TextDecoder().decode(data) };
  return Object.assign(error, { name: "HTTPParserError", ...details });
}

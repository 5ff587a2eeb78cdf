/** Acts out as `fetch` shows it how a response is handed over where a fault rule interferes: late, in part, or not at all. */

import { createDrip } from "../base/drip.ts";
import type { Delivery } from "../spec/delivery.ts";
import type { ApiResponse } from "../spec/messages.ts";
import {
  globalTimers,
  holdBack,
  type Overtaking,
  pause,
  type QueuePlace,
  type Timers,
  type Waiting,
} from "./hold-back.ts";

/** Who waits for the response. */
export interface DeliveryClient {
  readonly signal: AbortSignal | undefined;
  /**
   * How long the process is kept for a signal to end a silence, in milliseconds: that of a time-out doesn't keep it, and
   * there is no socket that would.
   *
   * @default 0
   */
  readonly keepsProcessMs?: number | undefined;
  readonly overtaking: Overtaking;
  /** @default the machine's */
  readonly timers?: Timers | undefined;
}

/**
 * The response as it arrives.
 *
 * @throws the signal's reason (as a rejection) where it is aborted meanwhile; TypeError with the `cause` that Node's fetch
 * gives where the connection breaks before there is a response.
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
    if (delivery.delayMs > 0 || delivery.kind === "overtaken") {
      await waitForItsTime(delivery, place, client);
    }
  } catch (reason) {
    delivery.undelivered();
    throw reason;
  }
  const arrived = await deliverAs(response, delivery, client);
  if (!overtaking.isIdle) overtaking.handedOver(place);
  return arrived;
}

/** Headers are kept as they are: to HEAD, content-length tells the length of a body that isn't sent. */
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

/** Resolves once it is time to hand the response over, rejects with the signal's reason where that comes first. */
function waitForItsTime(
  delivery: Delivery,
  place: QueuePlace,
  { signal, overtaking, timers = globalTimers }: DeliveryClient,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const waiting: Waiting = { timers, stopWaiting: undefined };
    const stopListening = onAbort(signal, (reason) => {
      waiting.stopWaiting?.();
      reject(reason);
    });
    holdBack(waiting, delivery, { overtaking, place }, () => {
      stopListening();
      // What overtakes it is still on its way to its client.
      queueMicrotask(resolve);
    });
  });
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

/** Calls `act` with the reason once a signal is aborted. @returns a function that stops listening. */
export function onAbort(
  signal: AbortSignal | undefined,
  act: (reason: unknown) => void,
): () => void {
  if (signal === undefined) return nothing;
  const listener = (): void => act(signal.reason);
  signal.addEventListener("abort", listener, { once: true });
  return () => signal.removeEventListener("abort", listener);
}

function nothing(): void {}

/** Only what is asked for is made: a body that nobody reads needs no timer. */
const onDemand: QueuingStrategy = { highWaterMark: 0 };

function dripStream(
  text: string,
  { bytesPerSecond, undelivered }: Extract<Delivery, { readonly kind: "drip" }>,
  { signal, timers = globalTimers }: DeliveryClient,
): ReadableStream<Uint8Array> {
  const drip = createDrip(text, bytesPerSecond);
  const waiting: Waiting = { timers, stopWaiting: undefined };
  let stopListening = nothing;
  const giveUp = (): void => {
    waiting.stopWaiting?.();
    stopListening();
    undelivered();
  };
  return new ReadableStream(
    {
      start(controller) {
        stopListening = onAbort(signal, (reason) => {
          giveUp();
          controller.error(reason);
        });
      },
      pull(controller) {
        return new Promise((resolve) => {
          pause(waiting, drip.everyMs, () => {
            const { piece, isLast } = drip.next();
            controller.enqueue(piece);
            if (isLast) {
              stopListening();
              controller.close();
            }
            resolve();
          });
        });
      },
      cancel: giveUp,
    },
    onDemand,
  );
}

function brokenStream(part: Uint8Array): ReadableStream<Uint8Array> {
  // Also where nothing of it is sent: MSW sends the head with the first piece.
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

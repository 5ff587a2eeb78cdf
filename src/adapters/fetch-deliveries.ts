/** Delivers a response through `fetch` as a fault rule says: late, in part, or not at all. */

import type { Delivery } from "../spec/delivery.ts";
import type { ApiResponse } from "../spec/messages.ts";
import {
  type Client,
  dripPieces,
  globalTimers,
  nothing,
  type Overtaking,
  onAbort,
} from "./hold-back.ts";

/**
 * The response, when it has arrived as its delivery says.
 *
 * @throws (as a rejection) the signal's reason if it is aborted meanwhile; TypeError with the `cause` of Node's fetch if the
 * connection breaks before there is a response.
 */
export async function deliverAnswer(
  answer: ApiResponse,
  overtaking: Overtaking,
  client: Client,
): Promise<Response> {
  const { delivery } = answer;
  if (delivery !== undefined) {
    await overtaking.holdBack(delivery, client).catch((reason: unknown) => {
      delivery.undelivered();
      throw reason;
    });
  }
  const response = await arriving(answer, delivery, client);
  overtaking.handedOver();
  return response;
}

/** Leaves headers as they are: in an answer to HEAD, content-length is the length of the body that isn't sent. */
function responseWith(
  { status, headers, body: own }: ApiResponse,
  body: BodyInit | null = own === "" ? null : own,
): Response {
  return new Response(body, { status, statusText: statusTextOf(status), headers });
}

/** As the server sends it. Browsers have no table of them. */
function statusTextOf(status: number): string {
  const node = typeof process === "undefined" ? undefined : process.getBuiltinModule?.("node:http");
  return node === undefined ? "" : (node.STATUS_CODES[status] ?? "unknown");
}

function arriving(
  answer: ApiResponse,
  delivery: Delivery | undefined,
  client: Client,
): Response | Promise<never> {
  switch (delivery?.kind) {
    case undefined:
    case "whole":
    case "overtaken":
      return responseWith(answer);
    case "bytes":
      return responseWith(answer, new Uint8Array(delivery.bytes));
    case "drip":
      if (answer.body === "") return responseWith(answer);
      return responseWith(answer, dripStream(answer.body, delivery, client));
    case "cut":
      return responseWith(answer, brokenStream(delivery.bytes));
    case "close":
    case "reset":
    case "noise":
      throw networkError("fetch failed", delivery.kind);
    case "silence":
      return silence(client);
  }
}

/** What the cause of a failed fetch says in Node. */
const causes = {
  close: { message: "other side closed", name: "SocketError", code: "UND_ERR_SOCKET" },
  reset: { message: "read ECONNRESET", code: "ECONNRESET", syscall: "read" },
  noise: {
    message: "Response does not match the HTTP/1.1 protocol (Expected HTTP/)",
    name: "HTTPParserError",
    code: "HPE_INVALID_CONSTANT",
  },
};

function networkError(text: string, kind: keyof typeof causes): TypeError {
  const { message, ...facts } = causes[kind];
  return new TypeError(text, { cause: Object.assign(new Error(message), facts) });
}

/** Node's own fetch waits this long for a response's headers. */
const KEEPS_PROCESS_MS = 300_000;

function silence({ signal, timers }: Client): Promise<never> {
  return new Promise((_, reject) => {
    if (signal === undefined) return;
    signal.throwIfAborted();
    // A pending time-out signal doesn't keep a process alive, so this timer does. Given timers are their owner's business.
    const timer = timers ? undefined : globalTimers.setTimeout(nothing, KEEPS_PROCESS_MS);
    onAbort(signal, (reason) => {
      globalTimers.clearTimeout(timer);
      reject(reason);
    });
  });
}

/** Produces pieces only on demand, so that a body that nobody reads needs no timer. */
const onDemand: QueuingStrategy = { highWaterMark: 0 };

function dripStream(
  text: string,
  delivery: Extract<Delivery, { readonly kind: "drip" }>,
  client: Client,
): ReadableStream<Uint8Array> {
  const pieces = dripPieces(text, delivery, client);
  const stopListening = onAbort(client.signal, delivery.undelivered);
  return new ReadableStream(
    {
      async pull(controller) {
        const { value, done } = await pieces.next();
        if (value !== undefined) controller.enqueue(value);
        if (!done) return;
        stopListening();
        controller.close();
      },
      cancel: delivery.undelivered,
    },
    onDemand,
  );
}

function brokenStream(part: Uint8Array): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      // Even if it is empty, because MSW sends the head with the first piece.
      start: (controller) => controller.enqueue(part),
      pull: (controller) => controller.error(networkError("terminated", "close")),
    },
    onDemand,
  );
}

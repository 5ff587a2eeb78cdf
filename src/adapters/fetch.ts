/** Offers a simulator as `fetch`, and converts requests to plain data for it and for the MSW handlers. */

import type { ApiRequest, ApiResponse } from "../spec/messages.ts";
import { type DeliveryClient, handOver, toResponse } from "./fetch-deliveries.ts";
import { isGzipped, unpackBody } from "./gzip-body.ts";
import { createOvertaking, globalTimers, LATEST_ORDER, onAbort, type Timers } from "./hold-back.ts";

/** Base for URLs without an origin. The top-level domain can't exist (RFC 6761). */
const ORIGIN = "http://adsim.invalid";

/**
 * A `fetch` that `handle` answers for every origin; `fetch("/v1/…")` works too. Like the built-in one, it rejects with an
 * aborted signal's reason, and doesn't handle a request that was aborted before it was read. A redirect by a fault rule is
 * returned as it is.
 *
 * @param timers Timers for delays. @default the machine's
 */
export function createFetch(
  handle: (request: ApiRequest) => ApiResponse,
  timers: Timers = globalTimers,
): typeof globalThis.fetch {
  const overtaking = createOvertaking();
  // With other timers, whoever controls them keeps the process alive.
  const keepsProcessMs = timers === globalTimers ? KEEPS_PROCESS_MS : 0;
  return async (input, init) => {
    const request = requestFor(input, init);
    request.signal.throwIfAborted();
    const signal = signalOf(input, init);
    const answer = handle(await unlessAborted(signal, toApiRequest(request)));
    return await deliverAnswer(answer, { overtaking, keepsProcessMs, timers, signal });
  };
}

/**
 * Resolves with the response when it has arrived, as fetch does.
 *
 * @throws as {@link handOver} does, as a rejection.
 */
export async function deliverAnswer(
  answer: ApiResponse,
  client: DeliveryClient,
): Promise<Response> {
  if (answer.delivery !== undefined) return await handOver(answer, answer.delivery, client);
  const { overtaking } = client;
  if (!overtaking.isIdle) {
    overtaking.handedOver({ world: "", order: LATEST_ORDER });
  }
  return toResponse(answer);
}

/** The request that a call of fetch asks for. @param base For a URL without an origin. */
function requestFor(
  input: RequestInfo | URL,
  init: RequestInit | undefined,
  base: string = ORIGIN,
): Request {
  if (typeof input === "string") return new Request(new URL(input, base), init);
  if (input instanceof URL || isOwnRequest(input)) return new Request(input, init);
  const { url, method, headers, body, redirect, signal = null } = input;
  // The body may be a stream.
  const given = { method, headers, body, redirect, signal, duplex: "half" };
  return new Request(url, { ...given, ...init });
}

/**
 * Whether the constructor of Request takes it. It takes no proxies, such as Next.js makes of requests, and no requests of other
 * libraries, but the members of these can be read.
 */
function isOwnRequest(input: Request): boolean {
  try {
    Reflect.getOwnPropertyDescriptor(Request.prototype, "url")?.get?.call(input);
    return true;
  } catch {
    return false;
  }
}

/** Node's own fetch waits this long for a response's headers. */
const KEEPS_PROCESS_MS = 300_000;

/**
 * The signal that ends a request: the caller's, if there is one. The signal of a Request follows it only until the Request is
 * garbage-collected.
 */
function signalOf(
  input: RequestInfo | URL,
  init: RequestInit | undefined,
): AbortSignal | undefined {
  if (init?.signal !== undefined) return init.signal ?? undefined;
  if (typeof input === "string" || input instanceof URL) return undefined;
  return input.signal ?? undefined;
}

/** Rejects with the signal's reason as soon as it is aborted, because a body may never end. */
function unlessAborted<Result>(
  signal: AbortSignal | undefined,
  work: Promise<Result>,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const stopListening = onAbort(signal, reject);
    work.then(resolve, reject).finally(stopListening);
  });
}

/** Reads a request to its end, and unpacks its body. `path` overrides the URL's path, for a service below a base URL. */
export async function toApiRequest(request: Request, path?: string): Promise<ApiRequest> {
  const url = new URL(request.url);
  const sent: ApiRequest = {
    method: request.method,
    path: path ?? url.pathname,
    query: url.search.slice(1),
    headers: Object.fromEntries(request.headers),
    body: request.body === null ? "" : new Uint8Array(await request.arrayBuffer()),
  };
  return isGzipped(sent) ? await unpackBody(sent) : sent;
}

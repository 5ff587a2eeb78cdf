/** Offers a simulator as `fetch`, and converts requests to plain data for it and for the MSW handlers. */

import type { ApiRequest, ApiResponse } from "../spec/messages.ts";
import { type DeliveryClient, handOver, onAbort, toResponse } from "./fetch-deliveries.ts";
import { createOvertaking, globalTimers, LATEST_ORDER, type Timers } from "./hold-back.ts";

/** Base for URLs without an origin. The top-level domain can't exist (RFC 6761). */
const ORIGIN = "http://adsim.invalid";

/**
 * A `fetch` that `handle` answers for every origin; `fetch("/v1/…")` works too. Like the built-in one, it rejects with an
 * aborted signal's reason, doesn't handle a request that was aborted before it was read, and treats redirects as `redirect`
 * says.
 *
 * @param timers Timers for delays. @default the machine's
 * @param serves Whether `handle` is for a URL. A redirect to another one is returned as it is. @default for every URL
 */
export function createFetch(
  handle: (request: ApiRequest) => ApiResponse,
  timers: Timers = globalTimers,
  serves: (url: URL) => boolean = () => true,
): typeof globalThis.fetch {
  const overtaking = createOvertaking();
  // With other timers, whoever controls them keeps the process alive.
  const keepsProcessMs = timers === globalTimers ? KEEPS_PROCESS_MS : 0;
  return async (input, init) => {
    const request = requestFor(input, init);
    request.signal.throwIfAborted();
    const signal = signalOf(input, init);
    let apiRequest = await unlessAborted(signal, toApiRequest(request));
    let url = new URL(request.url);
    const client = { overtaking, keepsProcessMs, timers, signal };
    for (let redirects = 0; ; redirects += 1) {
      const answer = handle(apiRequest);
      const response = await deliverAnswer(answer, client);
      const { location } = answer.headers;
      if (!redirectStatuses.has(response.status) || location === undefined) return response;
      switch (request.redirect) {
        case "manual":
          return response;
        case "error":
          throw new TypeError(`fetch failed: ${request.url} redirects, and redirect is "error"`);
        case "follow": {
          if (redirects === MAX_REDIRECTS) {
            throw new TypeError("fetch failed", { cause: new Error("redirect count exceeded") });
          }
          const from = url;
          url = new URL(location, from);
          if (!serves(url)) return response;
          apiRequest = redirected(apiRequest, response.status, { from, to: url });
        }
      }
    }
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
export function requestFor(
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
export function signalOf(
  input: RequestInfo | URL,
  init: RequestInit | undefined,
): AbortSignal | undefined {
  if (init?.signal !== undefined) return init.signal ?? undefined;
  if (typeof input === "string" || input instanceof URL) return undefined;
  return input.signal ?? undefined;
}

const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Limit of the Fetch standard (HTTP-redirect fetch). */
const MAX_REDIRECTS = 20;

/** The request after a redirect: a GET without body after 303, and after 301 or 302 to a POST. */
function redirected(
  request: ApiRequest,
  status: number,
  { from, to }: { readonly from: URL; readonly to: URL },
): ApiRequest {
  const dropped = new Set<string>();
  const isGet = request.method === "GET" || request.method === "HEAD";
  const becomesGet =
    (status === 303 && !isGet) || ((status === 301 || status === 302) && request.method === "POST");
  if (becomesGet) for (const name of bodyHeaders) dropped.add(name);
  if (to.origin !== from.origin) for (const name of secretHeaders) dropped.add(name);
  const headers = Object.entries(request.headers ?? {}).filter(([name]) => !dropped.has(name));
  const target = { path: to.pathname, query: to.search.slice(1) };
  const next = { ...request, ...target, headers: Object.fromEntries(headers) };
  return becomesGet ? { ...next, method: "GET", body: "" } : next;
}

const bodyHeaders = [
  "content-encoding",
  "content-language",
  "content-length",
  "content-location",
  "content-type",
] as const;
/** Dropped when a redirect leads to another origin. */
const secretHeaders = ["authorization", "cookie", "proxy-authorization"] as const;

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

/** Reads a request to its end. `path` overrides the URL's path, for a service below a base URL. */
export async function toApiRequest(request: Request, path?: string): Promise<ApiRequest> {
  const url = new URL(request.url);
  return {
    method: request.method,
    path: path ?? url.pathname,
    query: url.search.slice(1),
    headers: Object.fromEntries(request.headers),
    body: request.body === null ? "" : new Uint8Array(await request.arrayBuffer()),
  };
}

/** A simulator as `fetch`, and requests as plain data, which the MSW handlers need as well. */

import type { ApiRequest, ApiResponse } from "../spec/messages.ts";
import { type DeliveryClient, handOver, onAbort, toResponse } from "./fetch-deliveries.ts";
import { createOvertaking, globalTimers, LATEST_ORDER, type Timers } from "./hold-back.ts";

/** Stands for "any origin": a URL without one is resolved against it. The top-level domain can't exist (RFC 6761). */
const ORIGIN = "http://adsim.invalid";

/**
 * A `fetch` that is answered by `handle`, whatever the origin; `fetch("/v1/…")` works as well. As with the built-in
 * one, an aborted signal rejects with its reason, a request that was aborted before it was read is not handled at all,
 * and redirects are followed, refused or handed over as `redirect` says.
 *
 * @param timers What a delay waits for. @default the machine's
 */
export function createFetch(
  handle: (request: ApiRequest) => ApiResponse,
  timers: Timers = globalTimers,
): typeof globalThis.fetch {
  const overtaking = createOvertaking();
  // Where somebody lets time pass, the process is kept anyway.
  const keepsProcessMs = timers === globalTimers ? KEEPS_PROCESS_MS : 0;
  return async (input, init) => {
    const request = new Request(typeof input === "string" ? new URL(input, ORIGIN) : input, init);
    request.signal.throwIfAborted();
    const signal = signalOf(input, init);
    let read = await unlessAborted(signal, toApiRequest(request));
    let url = new URL(request.url);
    const client = { overtaking, keepsProcessMs, timers, signal };
    for (let redirects = 0; ; redirects += 1) {
      const answer = handle(read);
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
          read = redirected(read, response.status, { from, to: url });
        }
      }
    }
  };
}

/**
 * A response as fetch gives it, once it is there.
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

/** As long as Node's own fetch waits for a head. */
const KEEPS_PROCESS_MS = 300_000;

/**
 * The signal that ends a request: the one that was given. A request's own only follows it, and only as long as somebody
 * remembers the request.
 */
export function signalOf(
  input: RequestInfo | URL,
  init: RequestInit | undefined,
): AbortSignal | undefined {
  if (init?.signal !== undefined) return init.signal ?? undefined;
  return input instanceof Request ? input.signal : undefined;
}

const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** As many as fetch follows (Fetch standard, HTTP-redirect fetch). */
const MAX_REDIRECTS = 20;

/** What is sent to the place that a redirect names: after 303, and 301 or 302 to POST, a GET without body. */
function redirected(
  read: ApiRequest,
  status: number,
  { from, to }: { readonly from: URL; readonly to: URL },
): ApiRequest {
  const dropped = new Set<string>();
  const isGet = read.method === "GET" || read.method === "HEAD";
  const becomesGet =
    (status === 303 && !isGet) || ((status === 301 || status === 302) && read.method === "POST");
  if (becomesGet) for (const name of bodyHeaders) dropped.add(name);
  if (to.origin !== from.origin) for (const name of secretHeaders) dropped.add(name);
  const kept = Object.entries(read.headers ?? {}).filter(([name]) => !dropped.has(name));
  const target = { path: to.pathname, query: to.search.slice(1) };
  const sent = { ...read, ...target, headers: Object.fromEntries(kept) };
  return becomesGet ? { ...sent, method: "GET", body: "" } : sent;
}

const bodyHeaders = [
  "content-encoding",
  "content-language",
  "content-length",
  "content-location",
  "content-type",
] as const;
/** Not for another origin. */
const secretHeaders = ["authorization", "cookie", "proxy-authorization"] as const;

/** What `work` gives, or the signal's reason as soon as it is aborted: a body may never come to its end. */
function unlessAborted<Result>(
  signal: AbortSignal | undefined,
  work: Promise<Result>,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const stopListening = onAbort(signal, reject);
    work.then(resolve, reject).finally(stopListening);
  });
}

/** Reads a request to its end. `path`: its path where that isn't the URL's, such as below a base URL. */
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

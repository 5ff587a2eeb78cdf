/** Offers a simulator as `fetch`, and converts requests to plain data for it and for the MSW handlers. */

import type { ApiRequest, ApiResponse } from "../spec/messages.ts";
import { deliverAnswer } from "./fetch-deliveries.ts";
import { isGzipped, unpackBody } from "./gzip-body.ts";
import { createOvertaking, type Timers } from "./hold-back.ts";

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
  timers?: Timers,
): typeof globalThis.fetch {
  const overtaking = createOvertaking();
  return async (input, init) => {
    const request = requestFor(input, init);
    // The caller's: the signal of a Request follows it only until the Request is garbage-collected.
    const own = init?.signal === undefined ? (input as Partial<Request>).signal : init.signal;
    const signal = own ?? undefined;
    request.signal.throwIfAborted();
    const sent = await toApiRequest(request);
    signal?.throwIfAborted();
    const response = await deliverAnswer(handle(sent), overtaking, { timers, signal });
    return withUrl(response, request.url.replace(/#.*/, ""));
  };
}

function requestFor(input: RequestInfo | URL, init: RequestInit | undefined): Request {
  if (typeof input === "string" || input instanceof URL)
    return new Request(new URL(input, ORIGIN), init);
  try {
    return new Request(input, init);
  } catch {
    // The constructor takes no proxy of a Request, such as Next.js hands to a route.
    const { url, method, headers, body } = input as Request;
    // The type lacks `duplex`.
    return new Request(url, { ...{ method, headers, body, duplex: "half" }, ...init });
  }
}

/** No constructor sets it. */
function withUrl(response: Response, url: string): Response {
  const clone = (): Response => withUrl(Response.prototype.clone.call(response), url);
  return Object.defineProperties(response, { url: { value: url }, clone: { value: clone } });
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

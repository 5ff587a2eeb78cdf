/** Fetch's `Request` and `Response` to and from plain data. Shared by `sim.fetch` and the MSW handlers. */

import type { ApiRequest, ApiResponse } from "../contract/messages.ts";

/** Stands for "any origin": a URL without one is resolved against it. The top-level domain can't exist (RFC 6761). */
const ORIGIN = "http://adsim.invalid";

/**
 * A `fetch` that is answered by `handle`, whatever the origin; `fetch("/v1/…")` works as well. As with the built-in
 * one, an aborted signal rejects with its reason, a request that was aborted before it was read is not handled at all,
 * and redirects are followed, refused or handed over as `redirect` says.
 */
export function createFetch(handle: (request: ApiRequest) => ApiResponse): typeof globalThis.fetch {
  return async (input, init) => {
    const request = new Request(typeof input === "string" ? new URL(input, ORIGIN) : input, init);
    request.signal.throwIfAborted();
    const read = await unlessAborted(request.signal, toApiRequest(request));
    const response = handle(read);
    const { location } = response.headers;
    if (response.status !== PERMANENT_REDIRECT || location === undefined) {
      return toResponse(response);
    }
    switch (request.redirect) {
      case "manual":
        return toResponse(response);
      case "error":
        throw new TypeError(`fetch failed: ${request.url} redirects, and redirect is "error"`);
      case "follow":
        // Our redirects lead to an answer: a second one doesn't come.
        return toResponse(handle({ ...read, ...targetOf(new URL(location, request.url)) }));
    }
  };
}

/** The one redirect that the service sends. It keeps method and body (RFC 9110 §15.4.9). */
const PERMANENT_REDIRECT = 308;

function targetOf({ pathname, search }: URL): Pick<ApiRequest, "path" | "query"> {
  return { path: pathname, query: search.slice(1) };
}

/** What `work` gives, or the signal's reason as soon as it is aborted: a body may never come to its end. */
function unlessAborted<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
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

/** Headers are kept as they are: to HEAD, content-length tells the length of a body that isn't sent. */
export function toResponse(response: ApiResponse): Response {
  return new Response(response.body === "" ? null : response.body, {
    status: response.status,
    headers: response.headers,
  });
}

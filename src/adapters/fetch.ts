/** Fetch's `Request` and `Response` to and from plain data. Shared by `sim.fetch` and the MSW handlers. */

import type { ApiRequest, ApiResponse } from "../contract/messages.ts";

/** A `fetch` that is answered by `handle`. */
export function createFetch(handle: (request: ApiRequest) => ApiResponse): typeof globalThis.fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    request.signal.throwIfAborted();
    const response = handle(await toApiRequest(request));
    request.signal.throwIfAborted();
    return toResponse(response);
  };
}

export async function toApiRequest(request: Request): Promise<ApiRequest> {
  const url = new URL(request.url);
  return {
    method: request.method,
    path: url.pathname,
    query: url.search.slice(1),
    headers: Object.fromEntries(request.headers),
    body: request.body === null ? "" : new Uint8Array(await request.arrayBuffer()),
  };
}

export function toResponse(response: ApiResponse): Response {
  // HEAD has the length of a body that it doesn't carry.
  return new Response(response.body === "" ? null : response.body, {
    status: response.status,
    headers: response.headers,
  });
}

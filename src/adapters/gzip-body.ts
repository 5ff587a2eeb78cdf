/**
 * Unpacks bodies that were sent with gzip, in Node and in browsers. What isn't valid gzip keeps its Content-Encoding, which the
 * service refuses.
 */

import { MAX_BODY_BYTES } from "../exchange/parameters.ts";
import type { ApiRequest } from "../spec/messages.ts";

/** Such a request, as an adapter has read it: header names are in lower case. */
interface GzippedRequest extends ApiRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer>;
}

export function isGzipped(request: ApiRequest): request is GzippedRequest {
  const { headers, body } = request;
  return body instanceof Uint8Array && /^(x-)?gzip$/i.test(headers?.["content-encoding"] ?? "");
}

export async function unpackBody(request: GzippedRequest): Promise<ApiRequest> {
  const { "content-encoding": _, "content-length": __, ...headers } = request.headers;
  const packed = new Blob([request.body]).stream();
  try {
    const unpacked = await new Response(
      packed.pipeThrough(new DecompressionStream("gzip")),
    ).arrayBuffer();
    // A byte more than is allowed is refused for its length.
    return { ...request, headers, body: new Uint8Array(unpacked.slice(0, MAX_BODY_BYTES + 1)) };
  } catch {
    return request;
  }
}

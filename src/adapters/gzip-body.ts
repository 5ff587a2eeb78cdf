/**
 * Unpacks bodies that were sent with gzip, for adapters that run in browsers too. What isn't valid gzip keeps its
 * Content-Encoding, which the service refuses.
 */

import { MAX_BODY_BYTES } from "../exchange/parameters.ts";
import type { ApiRequest } from "../spec/messages.ts";

/** Such a request, as an adapter has read it: header names are in lower case. */
export interface GzippedRequest extends ApiRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer>;
}

export function isGzipped(request: ApiRequest): request is GzippedRequest {
  const { headers, body } = request;
  return body instanceof Uint8Array && /^(x-)?gzip$/i.test(headers?.["content-encoding"] ?? "");
}

/** The request with this body instead of the packed one. Undefined: it would be larger than a body may be. */
export function withPlainBody(request: GzippedRequest, plain: Uint8Array | undefined): ApiRequest {
  const { "content-encoding": _, "content-length": __, ...headers } = request.headers;
  return { ...request, headers, body: plain ?? TOO_LARGE };
}

/** Is refused for its length. The journal shows it. */
const TOO_LARGE = `(gzip of more than ${MAX_BODY_BYTES} bytes)`.padEnd(MAX_BODY_BYTES + 1);

export async function unpackBody(request: GzippedRequest): Promise<ApiRequest> {
  const packed = new Blob([request.body]).stream();
  const reader = packed.pipeThrough(new DecompressionStream("gzip")).getReader();
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      pieces.push(read.value);
      bytes += read.value.length;
      if (bytes > MAX_BODY_BYTES) {
        await reader.cancel();
        return withPlainBody(request, undefined);
      }
    }
  } catch {
    return request;
  }
  return withPlainBody(request, new Uint8Array(await new Blob(pieces).arrayBuffer()));
}

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

/** Is refused for its length. The journal shows it. */
const TOO_LARGE = `(gzip of more than ${MAX_BODY_BYTES} bytes)`.padEnd(MAX_BODY_BYTES + 1);

export async function unpackBody(request: GzippedRequest): Promise<ApiRequest> {
  const { "content-encoding": _, "content-length": __, ...headers } = request.headers;
  const packed = new Blob([request.body]).stream();
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  try {
    for await (const piece of packed.pipeThrough(new DecompressionStream("gzip"))) {
      pieces.push(piece);
      bytes += piece.length;
      if (bytes > MAX_BODY_BYTES) return { ...request, headers, body: TOO_LARGE };
    }
  } catch {
    return request;
  }
  return { ...request, headers, body: new Uint8Array(await new Blob(pieces).arrayBuffer()) };
}

/** Takes the kept part of a request's body from its pieces, and unpacks it. */

import { isUtf8 } from "node:buffer";
import { MAX_BODY_BYTES } from "../../exchange/parameters.ts";
import type { ApiRequest } from "../../spec/messages.ts";
import { isGzipped, withPlainBody } from "../gzip-body.ts";
import { zlib } from "./builtins.ts";

/** A body so far. It usually comes in one piece. */
export interface KeptBody {
  first: Buffer | undefined;
  others: Buffer[] | undefined;
  readonly keptBytes: number;
  readonly limitBytes: number;
}

/** The body as text if no information is lost, because text is read faster. */
export function takeBody(kept: KeptBody): string | Uint8Array {
  const { first, others } = kept;
  if (first === undefined) return "";
  // Frees memory: a connection keeps its last request, and a body can be a snapshot.
  kept.first = undefined;
  kept.others = undefined;
  const whole = others === undefined ? first : Buffer.concat([first, ...others]);
  return mayBeText(kept, whole) && isUtf8(whole) ? whole.toString() : whole;
}

/** A body cut off at its limit must keep its length in bytes, because that is why it is refused. */
function mayBeText({ keptBytes, limitBytes }: KeptBody, whole: Buffer): boolean {
  return keptBytes < limitBytes && whole[0] !== BYTE_ORDER_MARK;
}

/** Its first byte. Whoever reads the body handles it. */
const BYTE_ORDER_MARK = 0xef;

/** Without waiting, so that the requests of a connection keep their order. */
export function unpacked(request: ApiRequest): ApiRequest {
  if (!isGzipped(request)) return request;
  try {
    const maxOutputLength = MAX_BODY_BYTES;
    return withPlainBody(request, zlib().gunzipSync(request.body, { maxOutputLength }));
  } catch (error) {
    const isTooLarge = (error as { readonly code?: string }).code === "ERR_BUFFER_TOO_LARGE";
    return isTooLarge ? withPlainBody(request, undefined) : request;
  }
}

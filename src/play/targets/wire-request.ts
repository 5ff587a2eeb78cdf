/** A request in the form in which an HTTP connection sends it. */

import { InputError } from "../../base/input.ts";
import { type PlainRequest, plainRequest } from "../../exchange/plain-request.ts";
import type { ApiRequest } from "../../spec/messages.ts";

export interface WireRequest extends Pick<PlainRequest, "method" | "headers" | "body"> {
  /** With the query. */
  readonly target: string;
}

/** `prefix`: goes before the request's path. @throws InputError if HTTP can't carry the request. */
export function wireRequestOf(prefix: string, request: ApiRequest): WireRequest {
  const { method, path, query, headers, body, flaw } = plainRequest(request);
  if (flaw !== undefined) throw new InputError("request", `can't be sent: ${flaw}`);
  const refuse = (part: string, why: string): never => {
    throw new InputError(`request.${part}`, `can't be sent over HTTP: ${why}`);
  };
  if (method === "CONNECT") refuse("method", "CONNECT opens a tunnel");
  if (!path.startsWith("/")) refuse("path", "it must begin with a slash");
  const target = `${prefix}${path}${query && "?"}${query}`;
  if (!/^[\x21-\x7e]*$/.test(target))
    refuse("path", "spaces, control characters and what isn't ASCII must be percent-encoded");
  const length = Object.entries(headers).find(([name]) => name.toLowerCase() === "content-length");
  if (length !== undefined && length[1] !== String(Buffer.byteLength(body)))
    refuse("headers.content-length", "it must be the body's length");
  return { method, target, headers, body };
}

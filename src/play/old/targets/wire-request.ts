/** Prepares a request for an HTTP connection, or rejects what HTTP can't carry. */

import { InputError } from "../../../base/input.ts";
import { type PlainRequest, plainRequest } from "../../../exchange/plain-request.ts";
import type { ApiRequest } from "../../../spec/messages.ts";

export interface WireRequest {
  readonly method: string;
  /** With the query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const TARGET = /^[\x21-\x7e]*$/;

/** Headers that belong to the connection. */
export const connectionHeaders: ReadonlySet<string> = new Set([
  "connection",
  "expect",
  "http2-settings",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/**
 * The request in the form in which a connection sends it. `prefix`: goes before its path.
 *
 * @throws InputError if HTTP can't carry it.
 */
export function wireRequestOf(prefix: string, request: ApiRequest): WireRequest {
  const sent = plainRequest(request);
  const { method, path, headers, body, flaw } = sent;
  if (flaw !== undefined) throw new InputError("request", `can't be sent: ${flaw}`);
  if (!TOKEN.test(method) || method === "CONNECT") {
    throw new InputError(
      "request.method",
      "can't be sent over HTTP: a method has letters, digits and a few signs, and CONNECT opens a tunnel",
    );
  }
  if (!path.startsWith("/")) {
    throw new InputError("request.path", "can't be sent over HTTP: it must begin with a slash");
  }
  for (const [name, value] of Object.entries(headers)) checkField(name, value, body);
  return { method, target: targetOf(prefix, sent), headers, body };
}

function targetOf(prefix: string, { path, query }: PlainRequest): string {
  const target = `${prefix}${path}${query === "" ? "" : "?"}${query}`;
  if (TARGET.test(target)) return target;
  throw new InputError(
    "request.path",
    "and its query can't be sent over HTTP with spaces, control characters or non-ASCII characters: percent-encode them",
  );
}

/** Messages don't quote the value, because it may be a key. */
function checkField(name: string, value: string, body: string | Uint8Array): void {
  if (!TOKEN.test(name)) {
    throw new InputError(
      "request.headers",
      "can't be sent over HTTP: a name in it is not a valid header name",
    );
  }
  const field = `request.headers.${name}`;
  if (!FIELD_VALUE.test(value)) {
    throw new InputError(
      field,
      "can't be sent over HTTP: a value must not have control characters or characters beyond U+00FF",
    );
  }
  const lower = name.toLowerCase();
  if (connectionHeaders.has(lower)) {
    throw new InputError(field, "can't be set over HTTP: the connection sets it");
  }
  if (lower === "content-length" && value !== String(Buffer.byteLength(body))) {
    throw new InputError(
      field,
      "must be the body's length over HTTP: otherwise the connection would get out of step",
    );
  }
}

/** A request as it goes over a connection, or a refusal that says what HTTP has no way to say. */

import { InputError } from "../../base/input.ts";
import { type PlainRequest, plainRequest } from "../../exchange/plain-request.ts";
import type { ApiRequest } from "../../spec/messages.ts";

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

/** What a connection says for itself. */
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
 * The request as the exchange takes it in process, fit for a connection. `prefix`: what its path begins with there.
 *
 * @throws InputError where HTTP can't carry it.
 */
export function wireRequestOf(prefix: string, request: ApiRequest): WireRequest {
  const sent = plainRequest(request);
  const { method, path, headers, body, flaw } = sent;
  if (flaw !== undefined) throw new InputError("request", `can't be sent: ${flaw}`);
  if (!TOKEN.test(method) || method === "CONNECT") {
    throw new InputError(
      "request.method",
      "can't be sent over HTTP: a method is made of letters, digits and a few signs, and CONNECT asks for a tunnel",
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
    "and its query can't be sent over HTTP with spaces, control characters or characters beyond ASCII in them: percent-encode those",
  );
}

/** The value isn't repeated: it may be a key. */
function checkField(name: string, value: string, body: string | Uint8Array): void {
  if (!TOKEN.test(name)) {
    throw new InputError("request.headers", "can't be sent over HTTP: a name in it is no header's");
  }
  const field = `request.headers.${name}`;
  if (!FIELD_VALUE.test(value)) {
    throw new InputError(
      field,
      "can't be sent over HTTP: a value has no control characters, and none beyond U+00FF",
    );
  }
  const lower = name.toLowerCase();
  if (connectionHeaders.has(lower)) {
    throw new InputError(field, "can't be chosen over HTTP: the connection sets it by itself");
  }
  if (lower === "content-length" && value !== String(Buffer.byteLength(body))) {
    throw new InputError(
      field,
      "can't be another than the body's length over HTTP: the connection would be out of step",
    );
  }
}

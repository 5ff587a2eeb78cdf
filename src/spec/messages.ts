/** Requests and responses as plain data, the same for every transport. */

import type { Delivery } from "./delivery.ts";

/**
 * A request.
 *
 * - `method`: as sent; methods are case-sensitive.
 * - `path`: from the first slash, percent-encoding untouched. It may carry `?query` instead of the field.
 * - `query`: without `?`, percent-encoding untouched; or an object, whose values are encoded for you.
 * - `headers`: names in any case; lower case is fastest. A header sent twice has its values joined by `", "`.
 * - `body`: bytes or text, exactly as sent; or an object, sent as JSON. For an impression an object is fastest.
 *
 * The journal keeps it: don't change it afterwards.
 *
 * What programs without types may give: `null` stands for a part that is left out, and a header may be a list, as Node has
 * them, a number or true or false. A request that can't be read otherwise gets 400 (`malformed_request`), which says why;
 * it spends no quota and stands in the journal as far as it can be read.
 */
export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly query?: string | Readonly<Record<string, string | number>> | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | Uint8Array | Readonly<Record<string, unknown>> | undefined;
}

/** What a request comes to, whatever it was given as: texts and bytes, the query split from the path. */
export interface RequestParts {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/**
 * A response. Header names are in lower case; `body` is text in UTF-8, empty where there is none.
 *
 * - `status`: 0 where a fault rule leaves the client without a response.
 * - `delivery`: how it reaches the client, where a fault rule interferes; a whole response that is at once there has none.
 */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly delivery?: Delivery | undefined;
}

/** The response with these parts. Filled in: a literal that the journal keeps would be taken for long-lived (decision 026). */
export function responseOf(
  status: number,
  headers: ApiResponse["headers"],
  body: string,
): ApiResponse {
  const response = {} as { -readonly [Part in keyof ApiResponse]: ApiResponse[Part] };
  response.status = status;
  response.headers = headers;
  response.body = body;
  return response;
}

/** A response that shares nothing with another, whatever its owner does to it. */
export function copyOfResponse({ status, headers, body, delivery }: ApiResponse): ApiResponse {
  const copy = responseOf(status, { ...headers }, body);
  if (delivery === undefined) return copy;
  const bytes = "bytes" in delivery ? { bytes: delivery.bytes.slice() } : {};
  return { ...copy, delivery: { ...delivery, ...bytes } };
}

/** What a client gets that gets nothing. */
export const noResponse: ApiResponse = Object.freeze({
  status: 0,
  headers: Object.freeze({}),
  body: "",
});

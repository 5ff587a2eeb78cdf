/** Requests and responses as plain data, the same for every transport. */

import type { Delivery } from "./delivery.ts";

/**
 * A request.
 *
 * - `method`: as sent; methods are case-sensitive.
 * - `path`: from the first slash, percent-encoding untouched. It may carry `?query` instead of the field.
 * - `query`: without `?`, percent-encoding untouched; or an object, whose values are encoded for you.
 * - `headers`: names in any case. A header sent twice has its values joined by `", "`.
 * - `body`: bytes or text, exactly as sent; or an object, sent as JSON.
 * - `connection`: the number of the client's connection, from 1, which only the HTTP server sets.
 *
 * The journal keeps the object: don't change it afterwards.
 *
 * For programs without types, `null` counts as a missing part, and a header may be a list (as in Node), a number or a
 * boolean. Any other unreadable request gets a 400 (`malformed_request`) that says why. It spends no quota; the journal
 * shows its readable parts.
 */
export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly query?: string | Readonly<Record<string, string | number>> | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | Uint8Array | Readonly<Record<string, unknown>> | undefined;
  readonly connection?: number | undefined;
}

/** A request in one form: text and bytes, with the query separated from the path. */
export interface RequestParts {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/**
 * A response. Header names are in lower case; `body` is the text before it is encoded in UTF-8, or empty.
 *
 * - `status`: 0 if a fault rule leaves the client without a response.
 * - `delivery`: how a fault rule changes the way to the client; undefined for a response that arrives whole and at once.
 */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly delivery?: Delivery | undefined;
}

/** A response whose body may go on for as long as the client stays. */
export interface FollowedResponse extends ApiResponse {
  /** The text that follows, empty if there is none yet; undefined once nothing will follow. Call it now and then. */
  readonly more?: (() => string | undefined) | undefined;
}

/** A copy whose headers callers may change. */
export function copyOfResponse(response: ApiResponse): ApiResponse {
  return { ...response, headers: { ...response.headers } };
}

/** Stands for a response that never arrives. */
export const noResponse: ApiResponse = Object.freeze({ status: 0, headers: {}, body: "" });

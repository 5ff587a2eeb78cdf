/** A draft of a request: the operation, its values, and how they are sent. */

import type { Assumptions } from "../../../spec/assumptions/catalogue.ts";
import { buildRequest, type Encoding } from "../../../spec/build-request.ts";
import type { ApiRequest } from "../../../spec/messages.ts";
import type { Operation } from "../../../spec/operations.ts";

/**
 * How parameters are sent. `bytes`: JSON as bytes. `object`: an object, which the simulator turns into JSON. `untyped`:
 * a body without Content-Type. `split`: the last one in the query, the others in a form.
 */
export type Carrier = "json" | "object" | "bytes" | "untyped" | "form" | "query" | "split";

export interface Draft {
  readonly operation: Operation;
  readonly method: string;
  readonly path: string;
  /** By parameter name, in the order of sending: a text, or a value that only JSON can carry. */
  readonly values: ReadonlyMap<string, unknown>;
  readonly carrier: Carrier;
  /** Undefined: no such header is sent. */
  readonly authorization: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent instead of the encoded values. */
  readonly raw?: { readonly query?: string; readonly body?: string | Uint8Array } | undefined;
}

/** The carriers that the operation reads, the plainest first. A GET has its parameters in the query. */
export function carriersOf(
  { method }: Operation,
  { "request.encoding": encoding }: Pick<Assumptions, "request.encoding">,
): readonly Carrier[] {
  return method === "GET" ? carriers.query : carriers[encoding];
}

const carriers: Readonly<Record<Assumptions["request.encoding"], readonly Carrier[]>> = {
  any: ["json", "object", "bytes", "untyped", "form", "query", "split"],
  json: ["json", "object", "bytes", "untyped"],
  form: ["form", "untyped"],
  query: ["query"],
};

/** Whether the carrier can send values other than texts. */
export function isJson(
  carrier: Carrier,
  assumptions: Pick<Assumptions, "request.encoding">,
): boolean {
  if (carrier === "untyped") return assumptions["request.encoding"] !== "form";
  return carrier === "json" || carrier === "object" || carrier === "bytes";
}

/** Builds the request. Any HTTP client can send it. */
export function written(
  draft: Draft,
  assumptions: Pick<Assumptions, "request.encoding">,
): ApiRequest {
  const { method, path, authorization, headers, raw } = draft;
  const carried = carriedBy(draft, assumptions);
  const query = raw?.query ?? carried.query;
  const body = raw?.body ?? carried.body;
  return {
    method,
    path,
    ...(query === undefined || query === "" ? {} : { query }),
    headers: {
      ...(authorization === undefined ? {} : { authorization }),
      ...carried.headers,
      ...headers,
    },
    // GET and HEAD have no body: fetch sends none.
    ...(body === undefined || method === "GET" || method === "HEAD" ? {} : { body }),
  };
}

function carriedBy(
  { operation, values, carrier }: Draft,
  assumptions: Pick<Assumptions, "request.encoding">,
): Pick<ApiRequest, "query" | "headers" | "body"> {
  const all = [...values];
  const as = (encoding: Encoding, some = all): ApiRequest =>
    buildRequest(operation.id, Object.fromEntries(some), { encoding });
  switch (carrier) {
    case "json":
    case "form":
    case "query":
      return as(carrier);
    case "object":
      return { body: Object.fromEntries(all) };
    case "bytes": {
      const { headers, body } = as("json");
      return { headers, body: new TextEncoder().encode(String(body)) };
    }
    case "untyped":
      return { body: as(isJson(carrier, assumptions) ? "json" : "form").body };
    case "split":
      // A single parameter can't be split.
      if (all.length < 2) return as("form");
      return { ...as("form", all.slice(0, -1)), query: as("query", all.slice(-1)).query };
  }
}

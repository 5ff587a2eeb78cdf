/** A request before it is written down: which operation, with which values, sent how. */

import type { Assumptions } from "../../../spec/assumptions/catalogue.ts";
import type { ApiRequest } from "../../../spec/messages.ts";
import type { Operation } from "../../../spec/operations.ts";

/**
 * How parameters travel. `bytes` is JSON as bytes, `object` JSON that the simulator writes, `untyped` a body without
 * Content-Type, and `split` has the last one in the query and the others in a form.
 */
export type Carrier = "json" | "object" | "bytes" | "untyped" | "form" | "query" | "split";

export interface Draft {
  readonly operation: Operation;
  readonly method: string;
  readonly path: string;
  /** By parameter name, in the order of sending. A text, or what only JSON can hold. */
  readonly values: ReadonlyMap<string, unknown>;
  readonly carrier: Carrier;
  /** Undefined: none is sent. */
  readonly authorization: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** In place of what the values make. */
  readonly raw?: { readonly query?: string; readonly body?: string | Uint8Array } | undefined;
}

const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";

/** The carriers that a POST operation reads, the plainest first. Everything else has its parameters in the query. */
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

/** Whether values other than texts can be sent as what they are. */
export function isJson(
  carrier: Carrier,
  assumptions: Pick<Assumptions, "request.encoding">,
): boolean {
  if (carrier === "untyped") return assumptions["request.encoding"] !== "form";
  return carrier === "json" || carrier === "object" || carrier === "bytes";
}

/** The request as any HTTP client can send it. */
export function written(
  draft: Draft,
  assumptions: Pick<Assumptions, "request.encoding">,
): ApiRequest {
  const { method, path, authorization, headers, raw } = draft;
  const { query, body, type } = carried(draft, assumptions);
  const sentBody = raw?.body ?? body;
  const sentQuery = raw?.query ?? query;
  return {
    method,
    path,
    ...(sentQuery === "" ? {} : { query: sentQuery }),
    headers: {
      ...(authorization === undefined ? {} : { authorization }),
      ...(type === undefined ? {} : { "content-type": type }),
      ...headers,
    },
    // GET and HEAD have no body: fetch sends none.
    ...(sentBody === undefined || method === "GET" || method === "HEAD" ? {} : { body: sentBody }),
  };
}

interface Carried {
  readonly query: string;
  readonly body?: string | Uint8Array | Readonly<Record<string, unknown>>;
  readonly type?: string;
}

function carried(
  { values, carrier }: Draft,
  assumptions: Pick<Assumptions, "request.encoding">,
): Carried {
  const all = [...values];
  const json = JSON.stringify(Object.fromEntries(all));
  switch (carrier) {
    case "query":
      return { query: pairs(all) };
    case "json":
      return { query: "", body: json, type: JSON_TYPE };
    case "object":
      return { query: "", body: Object.fromEntries(all) };
    case "bytes":
      return { query: "", body: new TextEncoder().encode(json), type: JSON_TYPE };
    case "untyped":
      return { query: "", body: isJson(carrier, assumptions) ? json : pairs(all) };
    case "form":
      return { query: "", body: pairs(all), type: FORM_TYPE };
    case "split":
      // A single one has to be somewhere.
      if (all.length < 2) return { query: "", body: pairs(all), type: FORM_TYPE };
      return { query: pairs(all.slice(-1)), body: pairs(all.slice(0, -1)), type: FORM_TYPE };
  }
}

/** Percent-encoded; a lone surrogate, which has no UTF-8, becomes U+FFFD. */
export function pairs(values: Iterable<readonly [string, unknown]>): string {
  const escaped = (text: string): string => encodeURIComponent(text.toWellFormed());
  return Array.from(values, ([name, value]) => `${escaped(name)}=${escaped(String(value))}`).join(
    "&",
  );
}

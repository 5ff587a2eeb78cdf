/** Calls: requests as the sender means them, and the spec's constants to interpret them (spec §4, §8). */

import type { ApiRequest } from "../../src/spec/messages.ts";

export type OperationName = "stats" | "surfaces" | "payouts" | "impression" | "click";

/** How the parameters of a POST are sent. The `untyped` ones have no Content-Type. */
export type Carrier =
  | "json"
  | "bytes"
  | "untyped-json"
  | "form"
  | "untyped-form"
  | "query"
  | "text"
  | "encoded";

/** How a call is sent, apart from its operation and values. */
export interface Way {
  readonly method: string;
  /** Whether the path has a trailing slash. */
  readonly slash: boolean;
  /** An unknown path, sent instead of the operation's. */
  readonly elsewhere?: string | undefined;
  /** The word before the key. Undefined: no key is sent. */
  readonly scheme: string | undefined;
  readonly carrier: Carrier;
  /** The parameters that are in the query although the others are in the body. */
  readonly inQuery: readonly string[];
  /** A text that is sent instead of all values, and the code of its refusal. */
  readonly unreadable?: { readonly text: string; readonly code: string } | undefined;
}

/** A request as its sender means it. `values` are texts, or any JSON values if the carrier is JSON. */
export interface Call {
  readonly operation: OperationName;
  readonly values: Readonly<Record<string, unknown>>;
  readonly way: Way;
}

export interface Parameter {
  readonly name: string;
  readonly type: "text" | "date" | "whole";
  readonly required: boolean;
}

export interface Operation {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly limit: "recording" | "reporting";
  readonly parameters: readonly Parameter[];
}

const required = (name: string): Parameter => ({ name, type: "text", required: true });
const optional = (name: string, type: Parameter["type"]): Parameter => {
  return { name, type, required: false };
};

export const operations: Readonly<Record<OperationName, Operation>> = {
  stats: {
    method: "GET",
    path: "/v1/publisher/stats",
    limit: "reporting",
    parameters: [
      required("publisher_id"),
      optional("from", "date"),
      optional("to", "date"),
      optional("surface", "text"),
    ],
  },
  surfaces: {
    method: "GET",
    path: "/v1/publisher/surfaces",
    limit: "reporting",
    parameters: [required("publisher_id")],
  },
  payouts: {
    method: "GET",
    path: "/v1/publisher/payouts",
    limit: "reporting",
    parameters: [required("publisher_id"), optional("limit", "whole")],
  },
  impression: {
    method: "POST",
    path: "/v1/impression",
    limit: "recording",
    parameters: [
      required("publisher_id"),
      required("surface"),
      required("ad_id"),
      optional("session_id", "text"),
    ],
  },
  click: {
    method: "POST",
    path: "/v1/click",
    limit: "recording",
    parameters: [required("impression_id")],
  },
};

/** The usual way to send an operation's parameters. */
export function plainWay(operation: OperationName, carrier: Carrier): Way {
  const { method } = operations[operation];
  return { method, slash: false, scheme: "Bearer", carrier, inQuery: [] };
}

/** A call sent in the usual way: its values are in a JSON body, or in the query of a GET. */
export function plainCall(operation: OperationName, values: Call["values"]): Call {
  const carrier = operations[operation].method === "GET" ? "query" : "json";
  return { operation, values, way: plainWay(operation, carrier) };
}

/** Whether a carrier's body is JSON, which can have values other than texts. */
export function isJson(carrier: Carrier): boolean {
  return carrier !== "form" && carrier !== "untyped-form" && carrier !== "query";
}

const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";

const bodyHeaders: Readonly<Record<Carrier, Readonly<Record<string, string>>>> = {
  json: { "content-type": JSON_TYPE },
  bytes: { "Content-Type": "Application/JSON; charset=UTF-8" },
  "untyped-json": {},
  form: { "content-type": FORM_TYPE },
  "untyped-form": {},
  query: {},
  text: { "content-type": "text/plain" },
  encoded: { "content-type": JSON_TYPE, "content-encoding": "gzip" },
};

export function requestOf({ operation, values, way }: Call, apiKey: string): ApiRequest {
  const { path, method } = operations[operation];
  const { carrier, scheme } = way;
  const target = {
    method: way.method,
    path: way.elsewhere ?? (way.slash ? `${path}/` : path),
  };
  const authorization: Record<string, string> =
    scheme === undefined ? {} : { authorization: `${scheme} ${apiKey}` };
  const sent = Object.entries(values).filter(([, value]) => value !== undefined);
  if (method === "GET" || carrier === "query") {
    const query = way.unreadable?.text ?? encoded(sent);
    return { ...target, query, headers: authorization };
  }
  const headers = { ...authorization, ...bodyHeaders[carrier] };
  const query = encoded(sent.filter(([name]) => way.inQuery.includes(name)));
  const inBody = sent.filter(([name]) => !way.inQuery.includes(name));
  const text =
    way.unreadable?.text ??
    (isJson(carrier) ? JSON.stringify(Object.fromEntries(inBody)) : encoded(inBody));
  const body = carrier === "bytes" ? new TextEncoder().encode(text) : text;
  return { ...target, headers, body, ...(query === "" ? {} : { query }) };
}

function encoded(values: readonly (readonly [string, unknown])[]): string {
  return values
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`)
    .join("&");
}

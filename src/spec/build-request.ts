/** Builds the request of an operation. Only this file knows how parameters and a key are sent (spec §4, §5). */

import type { Assumptions } from "./assumptions/catalogue.ts";
import type { ApiRequest } from "./messages.ts";
import { type OperationId, operations } from "./operations.ts";

/** How a POST carries its parameters. A GET always has them in the query. */
export type Encoding = "json" | "form" | "query";

export interface RequestOptions {
  /** The API key. If it is undefined or `null`, no `Authorization` is sent. */
  readonly key?: string | null | undefined;
  /** @default "json" */
  readonly encoding?: Encoding | undefined;
  /** Additional headers, with names in lower case. They replace headers of the same name. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** The content type of a body, by encoding. */
export const contentTypes = {
  json: "application/json",
  form: "application/x-www-form-urlencoded",
};

/** The simplest encoding that the service accepts under the assumptions. */
export function encodingOf(assumptions: Pick<Assumptions, "request.encoding">): Encoding {
  const encoding = assumptions["request.encoding"];
  return encoding === "any" ? "json" : encoding;
}

/** Builds a request without checking the parameters or filling in defaults. */
export function buildRequest(
  operation: OperationId,
  parameters: Readonly<Record<string, unknown>>,
  { key, encoding = "json", headers }: RequestOptions,
): ApiRequest {
  const { method, path } = operations[operation];
  const authorization = key === undefined || key === null ? {} : { authorization: `Bearer ${key}` };
  const pairs = Object.entries(parameters);
  if (method === "GET" || encoding === "query")
    return { method, path, headers: { ...authorization, ...headers }, query: pairsOf(pairs) };
  const type = { "content-type": contentTypes[encoding] };
  const body = encoding === "json" ? JSON.stringify(parameters) : pairsOf(pairs);
  return { method, path, headers: { ...authorization, ...type, ...headers }, body };
}

/** Encodes names and values as a query or a form. */
export function pairsOf(parameters: Iterable<readonly [name: string, value: unknown]>): string {
  const pairs = Array.from(parameters, ([name, value]) => [name, String(value)]);
  return new URLSearchParams(pairs).toString();
}

/** Builds the request of an operation: the one place that knows how parameters and a key are sent (spec §3, §4). */

import type { Assumptions } from "./assumptions/catalogue.ts";
import type { ApiRequest } from "./messages.ts";
import { type OperationId, operations } from "./operations.ts";

/** How a POST carries its parameters. A GET has them in the query always. */
export type Encoding = "json" | "form" | "query";

export interface RequestOptions {
  /** The API key. Without one, or with `null`, no `Authorization` is sent. */
  readonly key?: string | null | undefined;
  /** @default "json" */
  readonly encoding?: Encoding | undefined;
  /** Sent as well, names in lower case. They replace headers of the same name. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** The content type of a body, by encoding. */
export const contentTypes: Readonly<Record<Exclude<Encoding, "query">, string>> = {
  json: "application/json",
  form: "application/x-www-form-urlencoded",
};

/** The plainest encoding that the reading in force accepts. */
export function encodingOf(assumptions: Pick<Assumptions, "request.encoding">): Encoding {
  const encoding = assumptions["request.encoding"];
  return encoding === "any" ? "json" : encoding;
}

/** The request with these parameters. They are neither checked nor filled in. */
export function buildRequest(
  operation: OperationId,
  parameters: Readonly<Record<string, unknown>>,
  { key, encoding = "json", headers }: RequestOptions,
): ApiRequest {
  const { method, path } = operations[operation];
  const authorization = key === undefined || key === null ? {} : { authorization: `Bearer ${key}` };
  if (method === "GET" || encoding === "query") {
    return {
      method,
      path,
      headers: { ...authorization, ...headers },
      query: pairsOf(Object.entries(parameters)),
    };
  }
  const body =
    encoding === "json" ? JSON.stringify(parameters) : pairsOf(Object.entries(parameters));
  const type = { "content-type": contentTypes[encoding] };
  return { method, path, headers: { ...authorization, ...type, ...headers }, body };
}

/** Names and values as in a query or a form. */
export function pairsOf(parameters: Iterable<readonly [name: string, value: unknown]>): string {
  const pairs = Array.from(parameters, ([name, value]) => [name, String(value)]);
  return new URLSearchParams(pairs).toString();
}

/**
 * The requests of a recording as a scenario can send them. What another service received can hold anything: other parameters,
 * keys, cookies. Of that only the API's own parameters stay.
 */

import { bodyText } from "../../base/text.ts";
import type { RecordedExchange, Recording } from "../../journal/recorded-exchange.ts";
import { parametersOf, valuesOf, type WireExchange } from "../../journal/wire-exchange.ts";
import { buildRequest, type Encoding } from "../../spec/build-request.ts";
import { operationIds, operations } from "../../spec/operations.ts";

/**
 * The recording in the order of time. If another service answered, it skips requests that aren't the API's, and successes
 * that lack a parameter that they must have had.
 */
export function apiRequests(recording: Recording): Recording {
  if (recording.byAdsim) return recording;
  let lastMs: number | undefined;
  const exchanges = recording.exchanges.map((exchange, index): RecordedExchange => {
    lastMs = exchange.atMs ?? lastMs;
    return { ...exchange, atMs: lastMs, skip: exchange.skip ?? skipOf(exchange, index) };
  });
  return {
    ...recording,
    exchanges: exchanges.sort((one, other) => (one.atMs ?? 0) - (other.atMs ?? 0)),
  };
}

function skipOf(exchange: RecordedExchange, index: number): RecordedExchange["skip"] {
  const { operation, values, got } = wireExchangeOf(exchange, index);
  if (operation === undefined) return "not-the-api";
  const isWhole = Object.entries(operations[operation].parameters).every(
    // Without a publisher_id it belongs to the sender.
    ([name, { required }]) => !required || name === "publisher_id" || values.has(name),
  );
  return isWhole || got.status !== 200 ? undefined : "incomplete";
}

export function wireExchangeOf(
  { sequence, atMs, request, response }: RecordedExchange,
  index: number,
): WireExchange {
  const { method, path, query, headers } = request;
  const { body: answered = "" } = response;
  const got = { ...response, body: bodyText(answered) };
  const shown = { method, path, query, headers, body: bodyText(request.body) };
  return {
    sequence: sequence ?? index + 1,
    atMs: atMs ?? 0,
    operation: operationIds.find(
      (id) => operations[id].method === method && operations[id].path === path,
    ),
    request: shown,
    values: valuesOf(shown),
    got,
    served: got,
    fault: undefined,
    limit: undefined,
  };
}

/** The request with the API's parameters alone, and with the sender's publisher_id if a success has none. */
export function plainRequest<Exchange extends WireExchange & { readonly publisher: string }>(
  exchange: Exchange,
): Exchange {
  const { operation, request, got, publisher } = exchange;
  if (operation === undefined) return exchange;
  const { parameters } = operations[operation];
  const sent = parametersOf(request).filter(([name]) => Object.hasOwn(parameters, name));
  const isOwn = got.status === 200 && "publisher_id" in parameters;
  const given = { ...(isOwn && { publisher_id: publisher }), ...Object.fromEntries(sent) };
  const { authorization } = request.headers;
  const headers = authorization === undefined ? {} : { authorization };
  const built = buildRequest(operation, given, { encoding: encodingIn(request), headers });
  const { query = "", body = "" } = built;
  const plain = {
    ...request,
    query: String(query),
    headers: built.headers ?? {},
    body: String(body),
  };
  return { ...exchange, request: plain, values: valuesOf(plain) };
}

function encodingIn({ headers, body }: WireExchange["request"]): Encoding {
  if (body === "") return "query";
  return headers["content-type"]?.includes("form") === true ? "form" : "json";
}

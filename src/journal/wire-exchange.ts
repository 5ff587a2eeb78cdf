/** Requests and answers from the world's journal: what arrived, what the service did, and what the client got. */

import { parseInstant } from "../base/calendar.ts";
import { jsonIn } from "../base/parse-json.ts";
import type { EventKind, OperationId } from "../spec/operations.ts";
import type { JournalEntry } from "./entry.ts";

/** The part of an answer that arrived. */
export interface WireAnswer {
  /** 0 without a response. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A request and its answer. */
export interface WireExchange {
  /** The number of the request in its world, from 1. */
  readonly sequence: number;
  /** When it arrived, in milliseconds since 1970 on the world's clock. */
  readonly atMs: number;
  readonly operation: OperationId | undefined;
  /** With API keys. */
  readonly request: JournalEntry["request"];
  /** The parameters from query and body. If a name occurs twice, the last value counts. */
  readonly values: ReadonlyMap<string, string>;
  /** What the client got. */
  readonly got: WireAnswer;
  /** What the service itself answered; undefined if a fault kept the request from it. */
  readonly served: WireAnswer | undefined;
  /** What a fault rule did; undefined if none fired. */
  readonly fault: JournalEntry["fault"];
  /** Which request limit refused it. */
  readonly limit: JournalEntry["limit"];
}

/** Headers that any HTTP client sends, and others that don't matter to the service. */
export const ambientHeaders: ReadonlySet<string> = new Set([
  "accept",
  "accept-encoding",
  "accept-language",
  "connection",
  "content-length",
  "cookie",
  "expect",
  "host",
  "keep-alive",
  "referer",
  "sec-fetch-mode",
  "transfer-encoding",
  "upgrade",
  "user-agent",
]);

export function wireExchange(entry: JournalEntry): WireExchange {
  const { sequence, at, operation, request, response, fault, limit } = entry;
  return {
    sequence,
    atMs: parseInstant(at) ?? Number.NaN,
    operation,
    request,
    values: valuesOf(request),
    got: response,
    served: servedOf(entry),
    fault,
    limit,
  };
}

/** The client got the service's answer, unless a fault rule replaced or cut it. */
function servedOf({ fault, response }: JournalEntry): WireAnswer | undefined {
  if (fault === undefined) return response;
  return fault.lost ?? (fault.served ? response : undefined);
}

/** The parameters from query and body, as text. If a name occurs twice, the last value counts. */
export function valuesOf(request: JournalEntry["request"]): ReadonlyMap<string, string> {
  return new Map(
    parametersOf(request).map(([name, value]): [string, string] => [name, String(value)]),
  );
}

/** The parameters in the query and the body, as sent. A body that looks like JSON and isn't has none. */
export function parametersOf({
  query,
  body,
}: Pick<WireExchange["request"], "query" | "body">): (readonly [name: string, value: unknown])[] {
  const inBody = body.startsWith("{")
    ? Object.entries(Object(jsonIn(body)))
    : new URLSearchParams(body);
  return [...new URLSearchParams(query), ...inBody];
}

/** The id in the service's own answer, even if that didn't arrive; undefined if the service recorded nothing. */
export function recordedId({ served }: WireExchange, event: EventKind): string | undefined {
  return served && eventIdIn(served, event);
}

/** The id in the answer to an event; undefined if the answer is no success. */
export function eventIdIn(
  { status, body }: Pick<WireAnswer, "status" | "body">,
  event: EventKind,
): string | undefined {
  const id = status === 200 ? memberOf(jsonIn(body), `${event}_id`) : undefined;
  return typeof id === "string" ? id : undefined;
}

/** A member of a JSON object; undefined for any other value. */
export function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

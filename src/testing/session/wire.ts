/** What went over the wire, read from the world's journal: what arrived, what the service did, and what the client got. */

import { parseInstant } from "../../base/calendar.ts";
import type { JournalEntry } from "../../journal/entry.ts";
import type { OperationId } from "../../spec/operations.ts";

/** An answer, as far as it came. */
export interface WireAnswer {
  /** 0 without a response. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A request and what became of it. */
export interface WireExchange {
  /** Counts the requests of the world, from 1. */
  readonly sequence: number;
  /** When it arrived, in milliseconds since 1970 on the world's clock. */
  readonly atMs: number;
  readonly operation: OperationId | undefined;
  /** Keys included. */
  readonly request: JournalEntry["request"];
  /** Its parameters, wherever they stood; of several of one name the last. */
  readonly values: ReadonlyMap<string, string>;
  /** What the client got. */
  readonly got: WireAnswer;
  /** What the service itself answered: undefined where a fault kept the request from it. */
  readonly served: WireAnswer | undefined;
  /** What a fault rule did; undefined where none did anything. */
  readonly fault: JournalEntry["fault"];
  /** Which request limit refused it. */
  readonly limit: JournalEntry["limit"];
}

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

/** What the client got is the service's own, unless a rule took its place, or some of it. */
function servedOf({ fault, response }: JournalEntry): WireAnswer | undefined {
  if (fault === undefined) return response;
  return fault.lost ?? (fault.served ? response : undefined);
}

function valuesOf(request: JournalEntry["request"]): ReadonlyMap<string, string> {
  return new Map(
    parametersOf(request).map(([name, value]): [string, string] => [name, String(value)]),
  );
}

/** The parameters of a request as they stand, of the query and the body: none of a body that is no JSON after all. */
export function parametersOf({
  query,
  body,
}: Pick<WireExchange["request"], "query" | "body">): (readonly [name: string, value: unknown])[] {
  const inBody = body.startsWith("{")
    ? Object.entries(Object(jsonOf({ body })))
    : new URLSearchParams(body);
  return [...new URLSearchParams(query), ...inBody];
}

/** The body as JSON; undefined where it is none. */
export function jsonOf({ body }: Pick<WireAnswer, "body">): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** The id that the service gave to what it recorded, whether it reached the client or not; undefined where it recorded nothing. */
export function recordedId(
  { served }: WireExchange,
  event: "impression" | "click",
): string | undefined {
  if (served?.status !== 200) return undefined;
  const id = memberOf(jsonOf(served), `${event}_id`);
  return typeof id === "string" ? id : undefined;
}

/** A member of a JSON object; undefined of anything else. */
export function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

/** Requests and answers from the world's journal: what arrived, what the service did, and what the client got. */

import { parseInstant } from "../../base/calendar.ts";
import type { JournalEntry } from "../../journal/entry.ts";
import { eventIdIn, valuesOf } from "../../journal/entry-values.ts";
import type { EventKind, OperationId } from "../../spec/operations.ts";

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

export function wireExchange(entry: JournalEntry): WireExchange {
  const { sequence, at, operation, request, response, fault, limit } = entry;
  return {
    ...{ sequence, operation, request, fault, limit },
    atMs: parseInstant(at) ?? Number.NaN,
    values: valuesOf(request),
    got: response,
    served: servedOf(entry),
  };
}

/** The client got the service's answer, unless a fault rule replaced or cut it. */
function servedOf({ fault, response }: JournalEntry): WireAnswer | undefined {
  if (fault === undefined) return response;
  return fault.lost ?? (fault.served ? response : undefined);
}

/** The id in the service's own answer, even if that didn't arrive; undefined if the service recorded nothing. */
export function recordedId({ served }: WireExchange, event: EventKind): string | undefined {
  return served && eventIdIn(served, event);
}

/** Filters of a journal: checks the conditions and compiles them into one function over records. */

import * as v from "valibot";
import { parseInstant } from "../base/calendar.ts";
import { InputError, parseInput } from "../base/input.ts";
import { instantText, strictObject, wholeFrom } from "../base/schemas.ts";
import { type OperationId, operationIds } from "../spec/operations.ts";
import type { ExchangeItem } from "./log.ts";
import { type JournalRecord, PREFLIGHT } from "./record.ts";

/** Whether the values of headers with credentials are shown. */
export type Secrets = "shown" | "redacted";

/** Selects the entries that meet all conditions. */
export interface JournalFilter {
  readonly operation?: OperationId | undefined;
  /** Id of the publisher whose key was sent. */
  readonly publisher?: string | undefined;
  /** The status that the client got; 0 if it got no response. */
  readonly status?: number | undefined;
  /** Entries from this instant of the world's clock on, in ISO 8601. */
  readonly from?: string | undefined;
  /** Entries before this instant of the world's clock, in ISO 8601. */
  readonly until?: string | undefined;
  /** The id of a fault rule, `"any"` or `"none"`: which rule decided on the request. */
  readonly fault?: string | undefined;
  /** Whether the path and method belong to no operation. An answered preflight counts as matched. */
  readonly unmatched?: boolean | undefined;
  /** Only entries with a higher sequence. */
  readonly after?: number | undefined;
  /** At most this many: the latest, or with `after` the first ones after it, so that a reader can page. */
  readonly limit?: number | undefined;
  /** Whether to show the values of the headers that carry credentials. @default "redacted" */
  readonly secrets?: Secrets | undefined;
}

export interface HarFilter extends JournalFilter {
  /** The beginning of every request's URL. @default "http://adsim.invalid" */
  readonly baseUrl?: string | URL | undefined;
}

const someText = v.pipe(v.string(), v.minLength(1, "must not be empty"));
const STATUS = "must be 0 (no response) or a whole number from 100 to 599";

export const filterSchema = strictObject({
  operation: v.optional(v.picklist(operationIds, `must be one of ${operationIds.join(", ")}`)),
  publisher: v.optional(someText),
  status: v.optional(
    v.pipe(
      v.number(STATUS),
      v.safeInteger(STATUS),
      v.check((status) => status === 0 || (status >= 100 && status <= 599), STATUS),
    ),
  ),
  from: v.optional(instantText),
  until: v.optional(instantText),
  fault: v.optional(someText),
  unmatched: v.optional(v.boolean("must be true or false")),
  after: v.optional(wholeFrom(0, " (the sequence of an entry)")),
  limit: v.optional(wholeFrom(1)),
  secrets: v.optional(v.picklist(["shown", "redacted"], "must be shown or redacted"), "redacted"),
});

/** A checked filter. */
export type ParsedFilter = ReturnType<typeof parseFilter>;

/** @throws InputError that names the invalid condition. */
export function parseFilter(given: unknown) {
  const wanted = parseInput(filterSchema, given, "filter");
  const { operation, publisher, status, fault, unmatched, after = 0, limit, secrets } = wanted;
  const fromMs = parseInstant(wanted.from ?? "") ?? Number.NEGATIVE_INFINITY;
  const untilMs = parseInstant(wanted.until ?? "") ?? Number.POSITIVE_INFINITY;
  if (fromMs >= untilMs) throw new InputError("until", "must be later than from");
  const isWanted = <Value>(value: Value | undefined, found: Value): boolean =>
    value === undefined || value === found;

  function isTouched({ fault: fired }: JournalRecord): boolean {
    if (fault === undefined) return true;
    if (fault === "none") return fired === undefined;
    return fired !== undefined && (fault === "any" || fault === fired.rule);
  }
  return {
    secrets,
    matches: ({ sequence, record }: ExchangeItem): boolean =>
      sequence > after &&
      isWanted(operation, record.operation) &&
      isWanted(publisher, record.publisher) &&
      isWanted(status, record.response.status) &&
      record.nowMs >= fromMs &&
      record.nowMs < untilMs &&
      isTouched(record) &&
      isWanted(unmatched, record.operation === undefined && record.reason !== PREFLIGHT),
    /** Applies the limit. */
    limited(matching: readonly ExchangeItem[]): readonly ExchangeItem[] {
      if (limit === undefined) return matching;
      return wanted.after === undefined ? matching.slice(-limit) : matching.slice(0, limit);
    },
  };
}

// Not by class: a test runner's page has an AbortSignal class of its own.
const signal = v.custom<AbortSignal>(
  (given) => typeof (given as AbortSignal | null)?.throwIfAborted === "function",
  "must be an AbortSignal, such as AbortSignal.timeout(1000)",
);
const waitSchema = strictObject({ count: wholeFrom(1), signal: v.optional(signal) });

/** Checks the arguments of `waitFor`. @throws InputError that names the invalid one. */
export function parseWait(wanted: object, count: number, options: object) {
  const filter = parseFilter(wanted);
  return { ...parseInput(waitSchema, { ...options, count }, "options"), filter };
}

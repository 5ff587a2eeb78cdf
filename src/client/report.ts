/** What became of events: what is known of each that can't be said to be recorded. */

import type { DeliveryResult } from "./delivery-queue.ts";
import type { ApiError } from "./result.ts";

/** What came of an event, once nothing more is tried. */
export type Outcome<Value> =
  | {
      readonly ok: true;
      /**
       * Undefined where the service only said that it is on record already: it answered a repetition with 409 and a code
       * such as `duplicate_impression`. Then its id isn't known, and its clicks can't be reported.
       */
      readonly value: Value | undefined;
    }
  | { readonly ok: false; readonly undelivered: Undelivered };

/** An event that isn't known to be recorded. */
export interface Undelivered {
  readonly kind: "impression" | "click";
  /** The surface's id. */
  readonly surface: string;
  readonly ad: string;
  /**
   * The last failure's kind; or what kept it from being sent: `queue-full`, `closed`, or `no-impression`: the id of the
   * impression that was clicked isn't known.
   */
  readonly why: ApiError["kind"] | "queue-full" | "closed" | "no-impression";
  /** HTTP status of the last answer. Undefined where there was none. */
  readonly status: number | undefined;
  /** For people. */
  readonly message: string;
  /** Whether it may be on record all the same: of a click, "unconfirmed". */
  readonly mayHaveApplied: boolean;
}

/** Of the events that were done with since the report before: each stands in one report. */
export interface Report {
  /** How many were recorded. */
  readonly delivered: number;
  /** The first 10,000; each event's own promise tells as well. */
  readonly undelivered: readonly Undelivered[];
  /** How many more weren't delivered than are listed. */
  readonly unlisted: number;
}

/** Which event. */
export type EventRef = Pick<Undelivered, "kind" | "surface" | "ad">;

/** What kept an event from being sent. */
export interface Unsent {
  readonly ok: false;
  readonly error: { kind: Undelivered["why"]; status?: undefined; message: string };
  readonly mayHaveApplied: false;
  readonly mayHaveAppliedBefore?: undefined;
}

export const queueFull: Unsent = unsentEvent("queue-full", "The queue is full.");
export const noImpression: Unsent = unsentEvent(
  "no-impression",
  "The impression's id isn't known.",
);
const closed = unsentEvent("closed", "The client was closed.").error;

function unsentEvent(kind: Undelivered["why"], message: string): Unsent {
  return { ok: false, error: { kind, message }, mayHaveApplied: false };
}

export function outcomeOf<Value>(
  about: EventRef,
  delivered: DeliveryResult<Value> | Unsent,
): Outcome<Value> {
  if (delivered.ok) return delivered;
  const { error, mayHaveApplied, mayHaveAppliedBefore } = delivered;
  if (mayHaveAppliedBefore && isDuplicate(error)) return { ok: true, value: undefined };
  const last = error === undefined || error.kind === "aborted" ? closed : error;
  const { kind: why, status, message } = last;
  return { ok: false, undelivered: { ...about, why, status, message, mayHaveApplied } };
}

/**
 * Whether the service said that the event is on record. A 409 alone doesn't: the surface may have been paused since, or a
 * proxy may have answered.
 */
function isDuplicate(error: ApiError | undefined): boolean {
  return error?.status === 409 && /duplicate|already.(recorded|exists)/i.test(error.code ?? "");
}

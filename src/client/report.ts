/** Reports which events were delivered, and what is known of those that weren't. */

import type { DeliveryResult } from "./delivery-queue.ts";
import type { ApiError } from "./result.ts";

/** The outcome of an event after the last attempt. */
export type Outcome<Value> =
  | {
      readonly ok: true;
      /**
       * Undefined if the service answered a retry with 409 and a code such as `duplicate_impression`: the event is recorded,
       * but its id is unknown, so clicks on it can't be reported.
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
   * The kind of the last failure, or why the event wasn't sent. `no-impression`: the id of the clicked impression is
   * unknown.
   */
  readonly why: ApiError["kind"] | "queue-full" | "closed" | "no-impression";
  /** HTTP status of the last answer. Undefined if there was none. */
  readonly status: number | undefined;
  /** For people. */
  readonly message: string;
  /** Whether the service may have recorded the event nevertheless. */
  readonly mayHaveApplied: boolean;
}

/** Covers the events that were completed or given up since the last report. Each event is in exactly one report. */
export interface Report {
  /** How many were recorded. */
  readonly delivered: number;
  /** The first 10,000. The event's own promise has the same. */
  readonly undelivered: readonly Undelivered[];
  /** How many undelivered events the list has no room for. */
  readonly unlisted: number;
}

export type EventRef = Pick<Undelivered, "kind" | "surface" | "ad">;

/** Why an event was not sent. */
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
 * Whether the service said that the event is already recorded. A 409 alone doesn't say so: the surface may have been paused
 * since, or a proxy may have answered.
 */
function isDuplicate(error: ApiError | undefined): boolean {
  return error?.status === 409 && /duplicate|already.(recorded|exists)/i.test(error.code ?? "");
}

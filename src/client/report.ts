/** What became of events: what is known of each that can't be said to be recorded. */

import type { Delivered } from "./deliveries.ts";
import type { ApiError } from "./result.ts";

/** What came of an event, once nothing more is tried. */
export type Outcome<Value> =
  | {
      readonly ok: true;
      /**
       * Undefined where the service only said that it is on record already (409 to a repetition): then its id isn't known,
       * and its clicks can't be reported.
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
export type About = Pick<Undelivered, "kind" | "surface" | "ad">;
type Reason = Omit<Undelivered, keyof About>;

const notSent = { status: undefined, mayHaveApplied: false };
export const queueFull: Reason = { why: "queue-full", message: "The queue is full.", ...notSent };
export const noImpression: Reason = {
  why: "no-impression",
  message: "The id of its impression isn't known.",
  ...notSent,
};

export function undelivered(about: About, reason: Reason): Outcome<never> {
  return { ok: false, undelivered: { ...about, ...reason } };
}

export function outcomeOf<Value>(about: About, delivered: Delivered<Value>): Outcome<Value> {
  if (delivered.ok) return delivered;
  const { error, mayHaveApplied, mayHaveAppliedBefore } = delivered;
  // To a repetition it says that the first one got through.
  if (error?.status === 409 && mayHaveAppliedBefore) return { ok: true, value: undefined };
  if (error === undefined || error.kind === "aborted") {
    const message = "The client was closed before it was known to be recorded.";
    return undelivered(about, { why: "closed", status: undefined, message, mayHaveApplied });
  }
  const { kind: why, status, message } = error;
  return undelivered(about, { why, status, message, mayHaveApplied });
}

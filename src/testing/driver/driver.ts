/**
 * What an integrator writes to have a client tested: how to make one, and how to have it do what a client of this API
 * does. Nothing else about the client is known.
 */

import type { Timers } from "../time/time.ts";

/** A showing of an ad. */
export interface Shown {
  /** The surface's id. */
  readonly surface: string;
  /** The spec's `ad_id`. No two showings have the same, unless one is reported again. */
  readonly ad: string;
  /** A session id of this showing alone, for a client that is given one. A client that makes its own ignores it. */
  readonly session: string;
}

/** A period in days that exist, `YYYY-MM-DD`, both included. */
export interface Period {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Events that the client was given and can't say to be recorded. */
export interface Undelivered {
  readonly impressions: number;
  readonly clicks: number;
}

/**
 * A client under test. A method that the client has no counterpart of is left out: rules that need it are skipped.
 *
 * Resolving means that the client says it was done; rejecting, that it says it wasn't, or that it doesn't know. An error
 * with a number as `status` is held against the status that the service answered with.
 *
 * @typeParam Impression What the client gives for an impression, and is given back to report a click on it.
 */
export interface Driver<Impression = unknown> {
  /**
   * Has the client report a showing. For a client that queues: resolves once the showing is queued.
   *
   * An object with the spec's `impression_id` or `revenue_credited_inr` is held against what was recorded.
   */
  impression(shown: Shown): Promise<Impression> | Impression;
  /** Has the client report a click. Resolves as {@link Driver.impression} does. */
  click?(impression: Impression): Promise<unknown> | unknown;
  /** Resolves with the spec's statistics object (spec §2). */
  stats?(query: Period & { readonly surface?: string | undefined }): Promise<unknown> | unknown;
  /** Resolves with the spec's answer, `{ surfaces }`. */
  surfaces?(): Promise<unknown> | unknown;
  /** Resolves with the spec's answer, `{ payouts, pending_inr }`. */
  payouts?(query: { readonly limit?: number | undefined }): Promise<unknown> | unknown;
  /** Only for a client that queues: delivers what is queued. Resolves with what it couldn't deliver, if it tells. */
  flush?(): Promise<Undelivered | undefined> | Promise<void> | void;
  /** Ends the client's life. Resolves with what couldn't be delivered all its life long, if it tells. */
  close?(): Promise<Undelivered | undefined> | Promise<void> | void;
}

/** What a client is made from. */
export interface DriverContext {
  /** Without a slash at its end. Paths start with /v1. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly publisherId: string;
  /** The publisher's active surfaces: at least one. */
  readonly surfaces: readonly { readonly id: string; readonly name: string }[];
  /** Answers from the simulated service. */
  readonly fetch: typeof globalThis.fetch;
  /** The world's time. A client that waits by other clocks waits in vain, unless the globals are replaced. */
  readonly timers: Timers;
  /** From 0 to below 1, drawn from the seed. */
  readonly random: () => number;
}

/** Makes a client. Called once for each run, so nothing may be left over from the one before. */
export type CreateDriver<Impression = unknown> = (
  context: DriverContext,
) => Promise<Driver<Impression>> | Driver<Impression>;

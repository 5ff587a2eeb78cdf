/** A recording for a replay: requests in order, each with its answer. */

import type { RequestParts } from "../spec/messages.ts";
import type { WorldDescription } from "../world/publishers/world-settings.ts";

/** Its headers are by lower-case name. */
export type RecordedRequest = RequestParts;

export interface RecordedResponse {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined if it wasn't recorded. */
  readonly body: string | Uint8Array | undefined;
}

/** The settings of the world that answered. */
export interface RecordedWorld extends Omit<WorldDescription, "assumptions"> {
  /** All choices, or those that differ from the defaults. */
  readonly assumptions: Readonly<Record<string, string>>;
}

/** Why a replay skips a request. */
export type SkipReason =
  /** A fault rule kept it from the service. */
  | "kept-from-service"
  | "no-response-recorded"
  /** It went to the control API. */
  | "control"
  /** It went elsewhere: a browser records everything that a page loads. */
  | "not-the-api"
  /** Another service answered with a success, and the recording lacks a parameter that it required. */
  | "incomplete"
  /** It was sent in process and can't be sent over HTTP. */
  | "unsendable";

/** A request with the service's answer. */
export interface RecordedExchange {
  /** Its place in the file: `line 3`, `entry 3`. */
  readonly place: string;
  /** The number of the request in its world; undefined if another tool recorded it. */
  readonly sequence: number | undefined;
  /** When it was sent, in milliseconds since 1970. */
  readonly atMs: number | undefined;
  /** The publisher whose valid key was sent. */
  readonly publisher: string | undefined;
  readonly request: RecordedRequest;
  readonly response: RecordedResponse;
  readonly skip: SkipReason | undefined;
  readonly world: RecordedWorld | undefined;
}

export interface Recording {
  readonly form: "journal" | "HAR" | "CSV";
  /** Whether adsim recorded it, so that sequence and time are those of its world. */
  readonly byAdsim: boolean;
  readonly exchanges: readonly RecordedExchange[];
}

/** A recording as it is replayed: requests in their order, each with the answer that it got. */

import type { RequestParts } from "../spec/messages.ts";
import type { WorldDescription } from "../world/publishers/world-settings.ts";

/** Its headers are by lower-case name. */
export type RecordedRequest = RequestParts;

export interface RecordedResponse {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined where it wasn't recorded. */
  readonly body: string | Uint8Array | undefined;
}

/** What a world was made from when it answered. */
export interface RecordedWorld extends Omit<WorldDescription, "assumptions"> {
  /** Those that differ from the defaults, or all. */
  readonly assumptions: Readonly<Record<string, string>>;
}

/** Why a request isn't sent again. */
export type SkipReason =
  /** A fault rule kept it from the service. */
  | "kept-from-service"
  | "no-response-recorded"
  /** It went to the control API, which a replay doesn't use on anybody's behalf. */
  | "control"
  /** It went elsewhere: a browser records all that a page loads. */
  | "not-the-api"
  /** HTTP can't carry it; in process it was handled. */
  | "unsendable";

/** A request with the answer that the service gave to it. */
export interface RecordedExchange {
  /** Where in the file: `line 3`, `entry 3`. */
  readonly place: string;
  /** Counts the requests of the world; undefined in the recording of another tool. */
  readonly sequence: number | undefined;
  /** When, in milliseconds since 1970. */
  readonly atMs: number | undefined;
  /** Whose key was sent, where it was a valid one. */
  readonly publisher: string | undefined;
  /** Whether the spelling of `Bearer` shaped the answer. */
  readonly hasUnusualScheme: boolean;
  readonly request: RecordedRequest;
  readonly response: RecordedResponse;
  readonly skip: SkipReason | undefined;
  readonly world: RecordedWorld | undefined;
}

export interface Recording {
  readonly form: "journal" | "HAR";
  /** Whether adsim recorded it, so that sequence and time are its world's. */
  readonly byAdsim: boolean;
  readonly exchanges: readonly RecordedExchange[];
}

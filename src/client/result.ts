/** The result of a call. Failures are values with enough facts to decide what to do next. */

/** @typeParam Value The body of a successful response (spec §2). */
export type Result<Value> =
  | {
      readonly ok: true;
      readonly value: Value;
      /** Requests left in this minute: X-RateLimit-Remaining (spec §8). Undefined if the header is missing. */
      readonly remaining: number | undefined;
    }
  | { readonly ok: false; readonly error: ApiError };

/** Why a call failed. */
export type ApiError =
  /** `refused`: the service rejected the request and would reject it again. */
  | (Failure & { readonly kind: "refused"; readonly status: number })
  /** `limited`: over the request limit (spec §8): 429, or 403 or 503 with `X-RateLimit-Remaining: 0`. */
  | (Failure & { readonly kind: "limited"; readonly status: number })
  /** `unavailable`: a temporary failure of the service: 408, 425 or 5xx. */
  | (Failure & { readonly kind: "unavailable"; readonly status: number })
  /** `unreadable`: a success status without the body that the spec describes: truncated, HTML, wrong types. */
  | (Failure & { readonly kind: "unreadable"; readonly status: number })
  /** `unreachable`: no answer came. `cause` is the error of fetch. */
  | (Failure & { readonly kind: "unreachable"; readonly cause: unknown })
  /** `timed-out`: the answer wasn't complete in time. `aborted`: the caller's signal ended the call. */
  | (Failure & { readonly kind: "timed-out" | "aborted" });

interface Failure {
  /** HTTP status. Undefined if no answer came. */
  readonly status: number | undefined;
  /** The code or type in the error body, if it has one. The spec defines none (spec §7). */
  readonly code: string | undefined;
  /** For people. */
  readonly message: string;
  /** The pause that the service asks for, in milliseconds. Undefined if it asks for none. */
  readonly retryAfterMs: number | undefined;
  /** Whether the service may have recorded the event nevertheless. Always false for GET. */
  readonly mayHaveApplied: boolean;
}

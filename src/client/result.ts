/** What a call comes to. Failures are values: each says what is known of it, so that a caller can decide what to do next. */

/** @typeParam Value The spec's answer (spec §2). */
export type Result<Value> =
  | {
      readonly ok: true;
      readonly value: Value;
      /** Requests left in this minute: X-RateLimit-Remaining (spec §8). Undefined where the answer doesn't say. */
      readonly remaining: number | undefined;
    }
  | { readonly ok: false; readonly error: ApiError };

/** Why there is no answer of the spec's, by `kind`. */
export type ApiError =
  /** `refused`: the service said no, and would again. */
  | (Failure & { readonly kind: "refused"; readonly status: number })
  /** `limited`: over the request limit (spec §8): 429, or 403 or 503 with `X-RateLimit-Remaining: 0`. */
  | (Failure & { readonly kind: "limited"; readonly status: number })
  /** `unavailable`: the service can't for now: 408, 425 or 5xx. */
  | (Failure & { readonly kind: "unavailable"; readonly status: number })
  /** `unreadable`: success, but not the body that the spec describes: cut, HTML, wrong types. */
  | (Failure & { readonly kind: "unreadable"; readonly status: number })
  /** `unreachable`: no answer came. `cause`: what fetch rejected with. */
  | (Failure & { readonly kind: "unreachable"; readonly cause: unknown })
  /** `timed-out`: no whole answer came in time. `aborted`: the caller's signal ended the call. */
  | (Failure & { readonly kind: "timed-out" | "aborted" });

interface Failure {
  /** HTTP status. Undefined where no answer came. */
  readonly status: number | undefined;
  /** The error body's code or type, where it has one. The spec defines none (spec §7). */
  readonly code: string | undefined;
  /** For people. */
  readonly message: string;
  /** How long the service wants to be left alone, in milliseconds. Undefined where it doesn't say. */
  readonly retryAfterMs: number | undefined;
  /** Whether the service may have recorded the event all the same. Reading is never "applied": false of GET. */
  readonly mayHaveApplied: boolean;
}

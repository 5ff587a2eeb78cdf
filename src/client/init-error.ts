/** The error of a client that couldn't be started. It is thrown, because nothing works without `init`. */

import type { ApiError } from "./result.ts";

export class InitError extends Error {
  override readonly name = "InitError";
  /** The failed call. Undefined if the configured surfaces are wrong. */
  readonly error: ApiError | undefined;
  /** The HTTP status, if an error response is the reason. */
  readonly status: number | undefined;

  constructor(message: string, error?: ApiError) {
    super(message);
    this.error = error;
    this.status = error?.status;
  }
}

/** Why a client couldn't be started: an error, since nothing can go on without it. */

import type { ApiError } from "./result.ts";

export class InitError extends Error {
  override readonly name = "InitError";
  /** What the service's answer came to. Undefined where the surfaces are what is wrong. */
  readonly error: ApiError | undefined;
  /** HTTP status, where an answer with one is the reason. */
  readonly status: number | undefined;

  constructor(message: string, error?: ApiError) {
    super(message);
    this.error = error;
    this.status = error?.status;
  }
}

/** Long work in slices, so that an adapter can serve other requests in between. */

import { utf8Length } from "../base/text.ts";
import type { ApiResponse } from "./messages.ts";

/** Something to wait for. Calls `done` when it has happened or can't happen any more. */
export type Wait = (done: () => void) => void;

/**
 * Yields undefined to let other requests pass, or a `Wait`; returns its result. Abandoning it before its end changes
 * nothing.
 */
export type Work<Result> = Generator<Wait | undefined, Result, unknown>;

/** A response whose body may have more pieces: `rest` computes those that follow `body`, one at a time. */
export interface LongResponse extends ApiResponse {
  readonly rest?: Iterator<string> | undefined;
}

/** Does all of the work now, without waiting: the work goes on as if every `Wait` were over. */
export function runToEnd<Result>(work: Work<Result>): Result {
  let step = work.next();
  while (!step.done) {
    step.value?.(() => undefined);
    step = work.next();
  }
  return step.value;
}

/** The response in one piece. */
export function inOnePiece({ rest, ...response }: LongResponse): ApiResponse {
  if (rest === undefined) return response;
  let { body } = response;
  for (let next = rest.next(); !next.done; next = rest.next()) body += next.value;
  const headers = { ...response.headers, "content-length": String(utf8Length(body)) };
  return { ...response, headers, body };
}

export function isWork<Result extends object>(given: Result | Work<Result>): given is Work<Result> {
  return "next" in given && "throw" in given;
}

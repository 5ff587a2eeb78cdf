/** Work that may take long, in slices, so that an adapter can let others pass in between. */

import { utf8Length } from "../base/text.ts";
import type { ApiResponse } from "./messages.ts";

/** Something to wait for: calls `done` once it is there, or can't come. */
export type Wait = (done: () => void) => void;

/**
 * Yields to let other requests pass, or yields what it waits for, and returns its result. Work that is abandoned before its
 * end has changed nothing.
 */
export type Work<Result> = Generator<Wait | undefined, Result, unknown>;

/** A response whose body may go on: `rest` gives the pieces behind `body`, each worked out when it is asked for. */
export interface LongResponse extends ApiResponse {
  readonly rest?: Iterator<string> | undefined;
}

/** Does all of the work now. It waits for nothing: what is there at once is had, anything else isn't. */
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

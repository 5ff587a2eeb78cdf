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

/** A response whose body may have more pieces. */
export interface LongResponse extends ApiResponse {
  /**
   * Computes the pieces that follow `body`, one at a time. Between them it returns a `Wait` when there is no further piece
   * yet; ask again when that is over, or earlier to keep the connection in use. Its `return` must be called if the pieces
   * aren't read to their end.
   */
  readonly rest?: Iterator<string | Wait> | undefined;
  /** Whether the body goes on for as long as the client stays. */
  readonly isOpenEnded?: boolean | undefined;
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

/** The response in one piece, with what there is of it now. */
export function inOnePiece({ rest, isOpenEnded, ...response }: LongResponse): ApiResponse {
  if (rest === undefined) return response;
  let { body } = response;
  for (let next = rest.next(); !next.done; next = rest.next()) {
    if (typeof next.value === "function") {
      rest.return?.();
      break;
    }
    body += next.value;
  }
  if (isOpenEnded === true) return { ...response, body };
  const headers = { ...response.headers, "content-length": String(utf8Length(body)) };
  return { ...response, headers, body };
}

/** The head of a response whose body isn't wanted. */
export function headOf({ rest, isOpenEnded: _, ...head }: LongResponse): ApiResponse {
  rest?.return?.();
  return head;
}

export function isWork<Result>(given: Result | Work<Result>): given is Work<Result> {
  return typeof given === "object" && given !== null && "next" in given && "throw" in given;
}

/** The result of something that may be work. */
export function* resultOf<Result>(given: Result | Work<Result>): Work<Result> {
  return isWork(given) ? yield* given : given;
}

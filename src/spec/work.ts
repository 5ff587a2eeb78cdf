/** Long work in slices, so that an adapter can serve other requests in between. */

/** Yields to let other requests pass; returns its result. Abandoning it before its end changes nothing. */
export type Work<Result> = Generator<undefined, Result, unknown>;

/** Does all of the work now. */
export function runToEnd<Result>(work: Work<Result>): Result {
  let step = work.next();
  while (step.done !== true) step = work.next();
  return step.value;
}

/** Long work in steps. */

/** Work that pauses now and then, so that others can run. */
export type Stepwise<Result> = Generator<undefined, Result, unknown>;

/** Does all of the work now. */
export function runToEnd<Result>(work: Stepwise<Result>): Result {
  let step = work.next();
  while (step.done !== true) step = work.next();
  return step.value;
}

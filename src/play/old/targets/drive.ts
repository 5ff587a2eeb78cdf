/** Drives a play with asynchronous performers, such as those over HTTP. */

import type { Effect, EffectGenerator } from "../player/effects.ts";
import type { AsyncPerformers } from "./target.ts";

/**
 * Plays to the end. An effect's error is thrown inside the play, at its `yield`. `performers` may lack effects that the
 * play never yields.
 *
 * @throws (as a rejection) errors that the play doesn't catch.
 */
export async function drive<Result>(
  playing: EffectGenerator<Result>,
  performers: Partial<AsyncPerformers>,
): Promise<Result> {
  let step = playing.next();
  while (step.done !== true) {
    let output: unknown;
    try {
      output = await performWith(performers, step.value);
    } catch (error) {
      step = playing.throw(error);
      continue;
    }
    step = playing.next(output);
  }
  return step.value;
}

/** @throws Error (as a rejection) for an effect that `performers` lacks. */
export function performWith(
  performers: Partial<AsyncPerformers>,
  effect: Effect,
): Promise<unknown> {
  // The cast is safe: the performer was looked up by the effect's kind.
  const perform = performers[effect.kind] as ((effect: Effect) => Promise<unknown>) | undefined;
  return perform === undefined
    ? Promise.reject(new Error(`The target can't do this: ${effect.kind}.`))
    : perform(effect);
}

/** Settles as `work` does, or rejects as soon as the signal is aborted. `discard` receives a result that comes later. */
export function unlessAborted<Result>(
  signal: AbortSignal | undefined,
  work: Promise<Result>,
  discard?: (late: Result) => Promise<void>,
): Promise<Result> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      reject(signal.reason);
      // The caller already has the abort, so later errors are dropped.
      if (discard !== undefined) work.then(discard).catch(() => undefined);
    };
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

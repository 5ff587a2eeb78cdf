/** Joins a play with whoever does its effects later: over HTTP, with waiting. */

import type { Effect, EffectGenerator } from "../player/effects.ts";
import type { AsyncPerformers } from "./target.ts";

/**
 * Plays to the end. What goes wrong with an effect is thrown where the play yielded it. An
 * effect without a performer is one that the play is known not to ask for.
 *
 * @throws (as a rejection) what the play doesn't catch.
 */
export async function drive<Result>(
  playing: EffectGenerator<Result>,
  performers: Partial<AsyncPerformers>,
): Promise<Result> {
  let step = playing.next();
  while (step.done !== true) {
    let gave: unknown;
    try {
      gave = await performWith(performers, step.value);
    } catch (error) {
      step = playing.throw(error);
      continue;
    }
    step = playing.next(gave);
  }
  return step.value;
}

/** Has one effect done. */
export function performWith(
  performers: Partial<AsyncPerformers>,
  effect: Effect,
): Promise<unknown> {
  // The performer of a kind takes effects of that kind.
  return (performers[effect.kind] as (effect: Effect) => Promise<unknown>)(effect);
}

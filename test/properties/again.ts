/** The same sequence once more: replayed, without its forks, and each publisher's requests without the others'. */

import { type Action, type Run, replay, requestSteps, require, type Step } from "./run.ts";

/** Replay: the same inputs get the same bytes. */
export function replayed({ options, steps }: Run): void {
  mustAnswerAlike("replay", options, steps);
}

/** Fork: a fork goes on as its origin would have. */
export function unforked({ options, steps }: Run): void {
  mustAnswerAlike(
    "fork",
    options,
    steps.filter(({ action }) => action.kind !== "fork"),
  );
}

/** Interleaving: each publisher gets the same bytes without the others' requests. */
export function alone({ options, steps, publishers }: Run): void {
  // Otherwise publishers spend each other's quotas and record for each other.
  if (options.assumptions["auth.key-scope"] === "any") return;
  for (const { id } of publishers) {
    const own = steps.filter(({ action, about }) => action.kind !== "request" || about === id);
    mustAnswerAlike("interleaving", options, own);
  }
}

/** Plays the steps in a new world, and expects the answers that they have. */
function mustAnswerAlike(rule: string, options: Run["options"], steps: readonly Step[]): void {
  const actions = steps.map(({ action }): Action => action);
  const answers = requestSteps(replay(options, actions).steps);
  for (const [place, { action, response }] of requestSteps(steps).entries()) {
    const before = JSON.stringify(response);
    const after = JSON.stringify(answers[place]?.response);
    require(rule, before === after, `${JSON.stringify(action)}: ${before} became ${after}`);
  }
}

/** Plays the steps of a scenario that is about nothing else. */

import { expect } from "vitest";
import { type PlayResult, playScenarioSync, type Scenario } from "../../../src/scenario.ts";

export function playSteps(
  steps: Scenario["steps"],
  others: Partial<Omit<Scenario, "steps">> = {},
): PlayResult {
  return playScenarioSync({ name: "test", about: "A test.", ...others, steps });
}

/** The same, where all that is expected must hold. */
export function heldSteps(...given: Parameters<typeof playSteps>): PlayResult {
  const result = playSteps(...given);
  expect(result.verdict, result.why).toBe("held");
  return result;
}

/** The result of the step at this path. */
export function resultAt(result: PlayResult, path: string): PlayResult["steps"][number] {
  const found = result.steps.find((step) => step.path === path);
  if (found === undefined) throw new Error(`There is no result at ${path}.`);
  return found;
}

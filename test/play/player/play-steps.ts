/** Plays a scenario that is only these steps. */

import { expect } from "vitest";
import { playInProcess } from "../../../src/play/player/play-in-process.ts";
import type { PlayResult, Scenario } from "../../../src/scenario.ts";

export function playSteps(
  steps: Scenario["steps"],
  others: Partial<Omit<Scenario, "steps">> = {},
): PlayResult {
  return playInProcess({ name: "test", about: "A test.", ...others, steps });
}

/** The same, and expects the result held. */
export function heldSteps(...given: Parameters<typeof playSteps>): PlayResult {
  const result = playSteps(...given);
  expect(result.result, result.why).toBe("passed");
  return result;
}

/** The result of the step at this path. */
export function resultAt(result: PlayResult, path: string): PlayResult["steps"][number] {
  const found = result.steps.find((step) => step.path === path);
  if (found === undefined) throw new Error(`There is no result at ${path}.`);
  return found;
}
